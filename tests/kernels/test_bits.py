from __future__ import annotations

import numpy as np
import pytest

from labelief.kernels import bits

SIZES = [1, 2, 3, 7, 8, 9, 63, 64, 65, 128, 130, 300]


@pytest.mark.parametrize("n_classes", SIZES)
def test_packing_is_undone(n_classes):
    members = np.random.default_rng(n_classes).random((17, n_classes)) < 0.4
    words = bits.pack(members)
    assert words.shape == (17, bits.n_words(n_classes))
    assert words.dtype == np.uint64
    np.testing.assert_array_equal(bits.unpack(words, n_classes), members)
    np.testing.assert_array_equal(bits.popcount(words), members.sum(axis=1))


def test_class_k_is_bit_k():
    words = bits.pack(np.eye(70, dtype=bool))
    for k in range(70):
        expected = [1 << k, 0] if k < 64 else [0, 1 << (k - 64)]
        assert words[k].tolist() == expected


@pytest.mark.parametrize("n_classes", SIZES)
def test_singletons(n_classes):
    codes = np.random.default_rng(1).integers(0, n_classes, 50)
    words = bits.singletons(codes, n_classes)
    np.testing.assert_array_equal(bits.unpack(words, n_classes), codes[:, None] == range(n_classes))
    np.testing.assert_array_equal(bits.singleton_codes(words), codes)


@pytest.mark.parametrize("n_classes", SIZES)
def test_lowest_class_of_larger_sets(n_classes):
    members = np.random.default_rng(2).random((40, n_classes)) < 0.3
    members[~members.any(axis=1), -1] = True
    expected = members.argmax(axis=1)
    np.testing.assert_array_equal(bits.singleton_codes(bits.pack(members)), expected)


@pytest.mark.parametrize("n_classes", SIZES)
def test_full_has_every_class_and_no_other_bit(n_classes):
    frame = bits.full(n_classes)
    assert bits.popcount(frame[None])[0] == n_classes
    assert bits.unpack(frame[None], n_classes).all()


def test_from_members_takes_any_order_and_repeats():
    words = bits.from_members(np.array([2, 0, 2, 2]), np.array([65, 1, 0, 65]), 3, 70)
    members = bits.unpack(words, 70)
    assert [np.flatnonzero(row).tolist() for row in members] == [[1], [], [0, 65]]


def test_views_and_slices_are_read_as_they_stand():
    members = np.random.default_rng(3).random((10, 100)) < 0.5
    words = bits.pack(members)
    np.testing.assert_array_equal(bits.unpack(words[::2], 100), members[::2])
    np.testing.assert_array_equal(bits.unpack(bits.pack(members[:, ::3]), 34), members[:, ::3])


def test_no_rows():
    words = bits.pack(np.zeros((0, 5), dtype=bool))
    assert words.shape == (0, 1)
    assert bits.unpack(words, 5).shape == (0, 5)
    assert bits.popcount(words).shape == (0,)
