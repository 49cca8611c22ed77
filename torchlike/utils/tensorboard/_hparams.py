"""Summaries for TensorBoard's hyperparameter plugin."""

from __future__ import annotations

from typing import Any

from google.protobuf.struct_pb2 import ListValue, Value
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.hparams import metadata
from tensorboard.plugins.hparams.api_pb2 import DataType, Experiment, HParamInfo, MetricInfo, MetricName, Status
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

import torchlike as torch
from torchlike.utils.tensorboard._arrays import make_np, value_of


def hparams(
    hparam_dict: Any = None, metric_dict: Any = None, hparam_domain_discrete: Any = None
) -> tuple[Summary, ...]:
    """Return three summaries: the experiment, the session start and the session end.

    The experiment lists the hyperparameters and metrics. The session start holds the hyperparameter values of the run.
    """
    _check(hparam_dict, metric_dict, hparam_domain_discrete or {})
    domains = hparam_domain_discrete or {}
    values = {key: _value(value) for key, value in hparam_dict.items() if value is not None}
    start = SessionStartInfo()
    for key, value in values.items():
        start.hparams[key].CopyFrom(value)
    infos = [
        _info(key, value, None if isinstance(hparam_dict[key], torch.Tensor) else domains.get(key))
        for key, value in values.items()
    ]
    metrics = [MetricInfo(name=MetricName(tag=key)) for key in metric_dict]
    end = SessionEndInfo(status=Status.Value("STATUS_SUCCESS"))
    return (
        _summary(metadata.EXPERIMENT_TAG, experiment=Experiment(hparam_infos=infos, metric_infos=metrics)),
        _summary(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        _summary(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )


def _check(hparam_dict: Any, metric_dict: Any, domains: Any) -> None:
    given = {"hparam_dict": hparam_dict, "metric_dict": metric_dict, "hparam_domain_discrete": domains}
    for name, found in given.items():
        if not isinstance(found, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    for key, domain in domains.items():
        if (
            key not in hparam_dict
            or not isinstance(domain, list)
            or not all(isinstance(value, type(hparam_dict[key])) for value in domain)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{key}] should be a list of same type as hparam_dict[{key}]."
            )


def _value(value: Any) -> Value:
    """Convert a number or string to a protocol buffer value. A bool becomes 0 or 1."""
    if isinstance(value, torch.Tensor):
        return Value(number_value=make_np(value)[0])
    if isinstance(value, int | float):
        return Value(number_value=value)
    if isinstance(value, str):
        return Value(string_value=value)
    raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")


def _info(name: str, value: Value, domain: list | None) -> HParamInfo:
    kind = "DATA_TYPE_STRING" if value.HasField("string_value") else "DATA_TYPE_FLOAT64"
    discrete = None if domain is None else ListValue(values=[_value(each) for each in domain])
    return HParamInfo(name=name, type=DataType.Value(kind), domain_discrete=discrete)


def _summary(tag: str, **content: Any) -> Summary:
    data = HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content)
    return value_of(tag, metadata.PLUGIN_NAME, data.SerializeToString())
