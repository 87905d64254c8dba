"""Everything the function itself says, in Chinese and English. Keys are stable; texts are for readers."""

from __future__ import annotations

_TEXT: dict[str, tuple[str, str]] = {
    # key: (English, Chinese)
    "no_answer": ("The published pages do not say.", "已发布的页面没有说明。"),
    "no_answer_nearest": (
        "The published pages do not say. The nearest pages are listed below.",
        "已发布的页面没有说明。下面是最接近的页面。",
    ),
    "nothing_published": ("Nothing is published here yet.", "这里还没有发布任何内容。"),
    "route_failed": (
        "Part of the search failed, so an answer may exist that was not found.",
        "部分检索失败，可能存在没有找到的答案。",
    ),
    "about": (
        "Ask a question about these published pages; every answer quotes them. For example:",
        "可以就这些已发布的页面提问，每个回答都引用原文。例如：",
    ),
    "citations_removed": (
        "Something was left out because its source could not be verified.",
        "有内容因来源无法核实而被略去。",
    ),
    "truncated": ("A long page was read only in part.", "有一个较长的页面只读了一部分。"),
    "low_confidence": (
        "This may be inaccurate: the match is weak. Check the source before you rely on it.",
        "这个回答可能不准确：匹配程度不高，请核对原文后再采用。",
    ),
    "no_number": ("The pages found give no number.", "找到的页面没有给出数字。"),
    "no_date": ("The pages found give no date.", "找到的页面没有给出日期。"),
    "no_steps": ("The pages found give no steps.", "找到的页面没有给出步骤。"),
    "no_order": (
        "The source gives these steps in another order.",
        "这些步骤与原文的顺序不同。",
    ),
    "one_side": (
        "Only one side of the comparison was found.",
        "只找到了对比的其中一方。",
    ),
    "part_unanswered": (
        "The published pages do not answer every part of the question.",
        "问题中有一部分，已发布的页面没有说明。",
    ),
    "list_cut": ("The list goes on at the source.", "列表未完，其余见原文。"),
    "disagree": ("The sources give different numbers or dates.", "不同来源给出的数字或日期不一致。"),
    "other_language": ("The answer is quoted in the language of its source.", "回答引用了来源的原文语言。"),
    "limit_reached": ("The search stopped at its limit.", "检索达到上限后停止。"),
    "model_failed": (
        "The language model is not available now; these are the passages that were found.",
        "语言模型暂时不可用，以下是检索到的原文。",
    ),
    "incomplete": ("The answer was cut short.", "回答没有写完。"),
    "declined": ("This question was not answered.", "这个问题没有得到回答。"),
    "off_topic": (
        "This only answers questions about the published pages.",
        "这里只回答与已发布页面有关的问题。",
    ),
    "failed": ("Something failed here. Please ask again.", "这里出了问题，请再问一次。"),
    "step.search": ("Searching: {query}", "检索：{query}"),
    "step.rewrite": ("Searching again: {query}", "换个说法再检索：{query}"),
    "step.read": ("Reading: {titles}", "阅读：{titles}"),
    "step.read_several": ("Reading {count} passages of {titles}", "阅读 {titles} 的 {count} 段"),
    "step.outline": ("Looking at the outline: {titles}", "查看大纲：{titles}"),
    "step.links": ("Following the links: {titles}", "查看链接：{titles}"),
    "step.list": ("Looking through the pages", "浏览页面列表"),
    "step.delegate": ("Looking into: {goals}", "分头查找：{goals}"),
    "step.failed": ("A step led nowhere.", "有一步没有结果。"),
}


def say(key: str, lang: str, **values: str) -> str:
    """Return a phrase in Chinese for ``zh``, in English for any other language."""
    return _TEXT[key][lang == "zh"].format(**values)
