"""Benchmarks: each prints ratios against a peer that ran in the same process."""
