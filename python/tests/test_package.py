"""The installed package."""

import carom


def test_it_samples_the_block() -> None:
    out = carom.sample(carom.scene("rocking-block"), samples=1000, seed=1)
    assert out.velocity.shape == (1000, 3)
    assert out.accepted.all()
