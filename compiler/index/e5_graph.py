"""The multilingual-e5-small network as an ONNX graph: BERT layers, 4-bit matrices, mean pooling and L2 norm inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from compiler.index.e5_weights import BLOCK, STATES, Packed, Weights

_MICROSOFT = "com.microsoft"  # onnxruntime's own operators: 4-bit products, fused attention
_ACCURACY = 4  # MatMulNBits: int8 activations; cosine to f32 activations is 1.0000 and it is twice as fast
_LAYER_MATRICES = "qkv"


class _Graph:
    """Collects nodes and initialisers. Names are counted, so the same weights give the same file.

    The attribute `domain` names the operator set.
    """

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, op: str, inputs: Sequence[str], outputs: int = 1, **attributes: float | str) -> list[str]:
        names = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, **cast(Any, attributes)))
        return names

    def one(self, op: str, *inputs: str, **attributes: float | str) -> str:
        return self.add(op, inputs, 1, **attributes)[0]

    def linear(self, x: str, name: str, matrix: Packed, bias: NDArray[np.float32]) -> str:
        """``x @ matrix.T + bias`` on 4-bit weights, two codes a byte."""
        rows, columns = matrix.codes.shape
        pairs = matrix.codes.reshape(rows, columns // BLOCK, BLOCK // 2, 2)
        codes = self.constant(f"{name}.codes", (pairs[..., 0] | (pairs[..., 1] << 4)).astype(np.uint8))
        scales = self.constant(f"{name}.scales", matrix.scales.reshape(-1))
        inputs = (x, codes, scales, "", "", self.constant(f"{name}.bias", bias))
        shape = {"K": columns, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": _ACCURACY}
        return self.one("MatMulNBits", *inputs, domain=_MICROSOFT, **shape)


def build_model(weights: Weights, kept: NDArray[np.int64]) -> onnx.ModelProto:
    """Return the model over the vocabulary rows `kept`: inputs input_ids and attention_mask.

    The output embedding is one unit vector a text, states one vector a token, before pooling.
    """
    graph = _Graph()
    x = _embed(graph, weights, kept)
    mask = graph.one("Cast", "attention_mask", to=TensorProto.INT32)
    for layer in range(weights.layers):
        x = _layer(graph, weights, x, mask=mask, prefix=f"l{layer}")
    _pool(graph, x)
    ids, attention = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    )
    graph.nodes.append(helper.make_node("Identity", [x], [STATES]))
    shapes: tuple[tuple[str, list[str | int | None]], ...] = (
        ("embedding", ["batch", weights.hidden]),
        (STATES, ["batch", "length", weights.hidden]),
    )
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes]
    body = helper.make_graph(graph.nodes, "multilingual-e5-small", [ids, attention], outputs, graph.tensors)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=10, producer_name="geosmin")


def _embed(graph: _Graph, weights: Weights, kept: NDArray[np.int64]) -> str:
    """Word rows gathered from the 4-bit table, plus positions and the one token type, normalised."""
    table = weights.packed("emb.word", weights.vocabulary, weights.hidden)
    signed = ((table.codes[kept].astype(np.int16) - 8) & 15).astype(np.uint8)
    words = onnx.TensorProto(name="word.codes", data_type=TensorProto.INT4, dims=[len(kept), weights.hidden])
    words.raw_data = (signed[:, 0::2] | (signed[:, 1::2] << 4)).tobytes()
    graph.tensors.append(words)
    scales = graph.constant("word.scales", table.scales[kept])
    axes = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK}
    found = graph.one("GatherBlockQuantized", "word.codes", "input_ids", scales, domain=_MICROSOFT, **axes)
    position = weights.plain("emb.pos").reshape(-1, weights.hidden) + weights.plain("emb.type")[: weights.hidden]
    zero, one = (graph.constant(f"axis{i}", np.array([i], np.int64)) for i in (0, 1))
    length = graph.one("Gather", graph.one("Shape", "input_ids"), one, axis=0)
    places = graph.one("Slice", graph.constant("positions", position), zero, length, zero)
    scale, shift = (graph.constant(f"emb.ln.{part}", weights.plain(f"emb.ln.{part}")) for part in "wb")
    summed = graph.one("Add", found, places)
    return graph.one("LayerNormalization", summed, scale, shift, axis=-1, epsilon=weights.epsilon)


def _layer(graph: _Graph, weights: Weights, x: str, *, mask: str, prefix: str) -> str:
    """One transformer layer: attention and feed-forward, each with its residual and norm."""
    hidden, inner = weights.hidden, weights.inner
    thirds = [weights.packed(f"{prefix}.{part}.w", hidden, hidden) for part in _LAYER_MATRICES]
    joined = Packed(np.concatenate([t.codes for t in thirds]), np.concatenate([t.scales for t in thirds]))
    bias = np.concatenate([weights.plain(f"{prefix}.{part}.b") for part in _LAYER_MATRICES])
    mixed = graph.linear(x, f"{prefix}.qkv", joined, bias)
    query, key, value = graph.add("Split", [mixed], 3, axis=-1, num_outputs=3)
    inputs = (query, key, value, "", mask)
    seen = graph.one("MultiHeadAttention", *inputs, domain=_MICROSOFT, num_heads=weights.heads)
    mixed = _linear(graph, weights, seen, name=f"{prefix}.ao", shape=(hidden, hidden))
    x = _residual(graph, weights, mixed, old=x, name=f"{prefix}.aln")
    wide = _linear(graph, weights, x, name=f"{prefix}.fi", shape=(inner, hidden))
    bent = graph.one("Gelu", wide, domain=_MICROSOFT)
    narrow = _linear(graph, weights, bent, name=f"{prefix}.fo", shape=(hidden, inner))
    return _residual(graph, weights, narrow, old=x, name=f"{prefix}.oln")


def _linear(graph: _Graph, weights: Weights, x: str, *, name: str, shape: tuple[int, int]) -> str:
    return graph.linear(x, name, weights.packed(f"{name}.w", *shape), weights.plain(f"{name}.b"))


def _residual(graph: _Graph, weights: Weights, new: str, *, old: str, name: str) -> str:
    scale, shift = (graph.constant(f"{name}.{part}", weights.plain(f"{name}.{part}")) for part in "wb")
    inputs = (old, new, scale, shift)
    return graph.one("SkipLayerNormalization", *inputs, domain=_MICROSOFT, epsilon=weights.epsilon)


def _pool(graph: _Graph, x: str) -> None:
    """Mean over the tokens of the mask, then unit length."""
    last = graph.constant("axis2", np.array([2], np.int64))
    mask = graph.one("Unsqueeze", graph.one("Cast", "attention_mask", to=TensorProto.FLOAT), last)
    total = graph.one("ReduceSum", graph.one("Mul", x, mask), "axis1", keepdims=0)
    mean = graph.one("Div", total, graph.one("ReduceSum", mask, "axis1", keepdims=0))
    norm = graph.one("ReduceL2", mean, "axis1", keepdims=1)
    graph.nodes.append(helper.make_node("Div", [mean, norm], ["embedding"]))
