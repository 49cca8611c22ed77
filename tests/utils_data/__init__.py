import pytest

pytest.register_assert_rewrite("tests.utils_data.judge")
