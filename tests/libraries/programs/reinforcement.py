"""stable_baselines3: PPO, A2C, DQN, SAC and TD3 for 150 steps each, their policies saved and read."""

import os
import tempfile

from stable_baselines3 import A2C, DQN, PPO, SAC, TD3

PLACE = os.path.join(tempfile.mkdtemp(), "model")
for cls, env, kw in [
    (PPO, "CartPole-v1", dict(n_steps=64, batch_size=32, n_epochs=2)),
    (A2C, "CartPole-v1", dict(n_steps=16)),
    (DQN, "CartPole-v1", dict(learning_starts=50, batch_size=16)),
    (SAC, "Pendulum-v1", dict(learning_starts=50, batch_size=16)),
    (TD3, "Pendulum-v1", dict(learning_starts=50, batch_size=16)),
]:
    model = cls("MlpPolicy", env, seed=0, device="cpu", policy_kwargs=dict(net_arch=[32, 32]), **kw)
    model.learn(150)
    s = sum(p.detach().double().abs().sum().item() for p in model.policy.parameters())
    print(cls.__name__, round(s, 3))
    obs = model.get_env().reset()
    print(model.predict(obs, deterministic=True)[0].round(3).tolist())
    model.save(PLACE)
    again = cls.load(PLACE)
    print(again.predict(obs, deterministic=True)[0].round(3).tolist())
