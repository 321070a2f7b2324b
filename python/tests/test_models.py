"""URDF and MJCF models."""

import pytest
import talus
from conftest import ROOT

MODELS = ROOT / "models"


def test_models_load_with_options_and_warnings():
    scene = talus.load(MODELS / "arm.urdf", positions={"j2": -0.5})
    assert any("'effort' of <limit> is ignored" in warning for warning in scene.warnings)
    assert scene.world.joint_coordinates[scene.world.find_joint("j2")] == -0.5
    simulation = scene.simulation(step=1 / 500)
    simulation.run(until=0.02)
    assert talus.load(MODELS / "arm.xml", prefix="b_").world.find_body("b_link6") >= 0
    with pytest.raises(talus.Error, match="auto, fixed or free"):
        talus.load(MODELS / "arm.urdf", base="loose")
    with pytest.raises(talus.Error, match="no joint"):
        talus.load(MODELS / "arm.urdf", positions={"j9": 1})
    with pytest.raises(talus.Error, match="for URDF"):
        talus.load(ROOT / "scenes/incline.yaml", prefix="x")
