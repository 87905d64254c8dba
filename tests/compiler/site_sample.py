"""A small, realistic, bilingual site for tests: every element an author uses, and the awkward pages too."""

from __future__ import annotations

import dataclasses
from typing import Any

from compiler.model import Backlink, Crumb, NavNode, Neighbour, Site, SitePage, TocEntry
from compiler.site import nav, pages
from compiler.site.listing import Listing
from tests.compiler.site_sample_maps import graph, maps
from tests.compiler.site_sample_wiki import wiki

FOLDERS = {"garden": "庭园笔记", "garden/soil": "土壤", "notes": "Field notes"}

SOIL = """<h1 id="雨后的气味从哪里来">雨后的气味从哪里来</h1>
<p>久旱之后的第一场雨，总带着一种干净的泥土气味。英语把它叫作 petrichor；气味的主角是 geosmin，一种由土壤里的放线菌（<em>Streptomyces</em>）合成的小分子。人对它极其敏感，浓度低到 5 ng/L 也能闻到，这比鲨鱼对血液的嗅觉还要灵敏。<sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup></p>
<h2 id="谁在制造它">谁在制造它</h2>
<p>制造者是 <strong>链霉菌</strong>。它们在土壤表面结出孢子，<a class="wikilink" href="../soil/bacteria/">放线菌</a>一旦成熟便释放气味，引来跳虫取食；跳虫带走孢子，就像蜜蜂带走花粉。<mark>气味是一封写给跳虫的信</mark>，人只是碰巧读到了。另见 <span class="missing">尚未公开的一页</span>。</p>
<ul><li>干燥让孢子停留在土粒表面。</li><li>雨滴落下，撞出细小的气泡，气泡破裂时把分子弹进空气。
<ul><li>小雨比暴雨更香：雨滴太快，气泡来不及形成。</li></ul></li><li>风把它带到几公里以外。</li></ul>
<h3 id="实验怎么做">实验怎么做</h3>
<ol><li>取 20 g 表土，在 105 °C 烘干 24 小时。</li><li>冷却到室温，喷 2 mL 蒸馏水。</li><li>用固相微萃取（SPME）收集 30 分钟，再送进 GC–MS。</li></ol>
<ul class="contains-task-list"><li class="task-list-item"><input class="task-list-item-checkbox" checked="checked" disabled="disabled" type="checkbox"> 采样记录</li><li class="task-list-item"><input class="task-list-item-checkbox" disabled="disabled" type="checkbox"> 重复三次</li></ul>
<div class="admonition note"><p class="admonition-title">说明</p><p>同一份土样只能测一次：加水以后，微生物会在两小时内改变气味的组成。</p></div>
<div class="admonition warning"><p class="admonition-title">小心</p><p>烘干的土很轻，打开烘箱前先等它冷却，否则会扬尘。</p></div>
<details class="tip"><summary>没有 GC–MS 怎么办</summary><p>请五个人闻，盲测，各自写下强弱。人的鼻子对它足够灵敏。</p></details>
<blockquote><p>雨不是落在地上，雨是落在时间上。</p></blockquote>
<div class="highlight"><pre id="__code_0"><span></span><code><span class="kn">from</span> <span class="nn">soil</span> <span class="kn">import</span> <span class="n">Sample</span>

<span class="c1"># 采样点与含水量；这一行故意写得很长，为的是看看横向滚动是不是只发生在代码框里面，而不是让整个页面跟着一起滚动，尤其是在三百九十像素宽的手机上，这时每一个像素都很珍贵，不应该被浪费在一条没有用处的滚动条上</span>
<span class="k">def</span> <span class="nf">threshold</span><span class="p">(</span><span class="n">sample</span><span class="p">:</span> <span class="n">Sample</span><span class="p">)</span> <span class="o">-&gt;</span> <span class="nb">float</span><span class="p">:</span>
    <span class="sd">&quot;&quot;&quot;Return ng/L at which half of the noses notice.&quot;&quot;&quot;</span>
    <span class="k">return</span> <span class="mf">5.0</span> <span class="k">if</span> <span class="n">sample</span><span class="o">.</span><span class="n">dry</span> <span class="k">else</span> <span class="mf">7.5</span>
</code></pre></div>
<h2 id="各地的土">各地的土</h2>
<p>下表是 2026 年春天的十二处采样，含水量按质量计。</p>
<div class="table-wrap"><table><thead><tr><th>地点</th><th style="text-align:right">一月</th><th style="text-align:right">二月</th><th style="text-align:right">三月</th><th style="text-align:right">四月</th><th style="text-align:right">五月</th><th style="text-align:right">六月</th><th style="text-align:right">七月</th><th style="text-align:right">八月</th><th style="text-align:right">九月</th><th style="text-align:right">十月</th><th>土质</th></tr></thead><tbody><tr><td>洛阳</td><td style="text-align:right">11.2</td><td style="text-align:right">10.8</td><td style="text-align:right">12.5</td><td style="text-align:right">14.0</td><td style="text-align:right">16.3</td><td style="text-align:right">18.1</td><td style="text-align:right">24.9</td><td style="text-align:right">23.3</td><td style="text-align:right">19.6</td><td style="text-align:right">15.2</td><td>黄土</td></tr><tr><td>苏州</td><td style="text-align:right">22.0</td><td style="text-align:right">23.4</td><td style="text-align:right">25.1</td><td style="text-align:right">26.8</td><td style="text-align:right">28.2</td><td style="text-align:right">33.5</td><td style="text-align:right">30.4</td><td style="text-align:right">29.9</td><td style="text-align:right">27.7</td><td style="text-align:right">24.1</td><td>水稻土</td></tr></tbody></table></div>
<h2 id="还不知道的">还不知道的</h2>
<p>为什么河水里的鱼也会沾上这种气味，已有解释；为什么有的甜菜天生就有，却仍在争论。</p>
<hr class="footnotes-sep"><section class="footnotes"><ol class="footnotes-list"><li id="fn1" class="footnote-item"><p>阈值因人而异，常见的说法是 5–10 ng/L。 <a href="#fnref1" class="footnote-backref">↩︎</a></p></li></ol></section>
"""

BACTERIA = """<p>放线菌（Actinomycetota）是一类丝状细菌，介于霉菌与普通细菌之间。它们分解枯叶与根，也为医学贡献了一半以上的抗生素，例如链霉素与四环素。</p>
<h2 id="习性">习性</h2><p>喜欢中性、疏松、偶尔干透的土。干旱是它们结孢子的信号。</p>
"""

RAIN = """<h1 id="reading-the-rain">Reading the rain</h1>
<p>A rain gauge tells you how much fell; a garden tells you how much stayed. Over nine summers I have kept both records side by side, and the second is the one that decides what grows. This page gathers the method, the mistakes, and the <a href="https://example.org/gauge">gauge</a> that I would buy again.</p>
<h2 id="where-to-put-the-gauge">Where to put the gauge</h2>
<p>Put it in the open, twice as far from a wall as the wall is high. Mine stood under a pear tree for a year and “measured” forty millimetres too little. See <a class="wikilink" href="../../garden/smell/">雨后的气味从哪里来</a> for what happens when the first drops land.</p>
<div class="admonition tip"><p class="admonition-title">Tip</p><p>Empty it at the same hour each day. Morning is best: dew has not yet dried, and you have not yet forgotten.</p></div>
<div class="tabbed-set tabbed-alternate" data-tabs="1:2"><input id="__tabbed_1_1" name="__tabbed_1" type="radio" checked><input id="__tabbed_1_2" name="__tabbed_1" type="radio"><div class="tabbed-labels"><label for="__tabbed_1_1">Metric</label><label for="__tabbed_1_2">Imperial</label></div><div class="tabbed-content"><div class="tabbed-block"><p>One millimetre on the gauge is one litre on a square metre.</p></div><div class="tabbed-block"><p>One inch on the gauge is about half a gallon on a square foot.</p></div></div></div>
<h2 id="the-record">The record</h2>
<p>Write <code>date, mm, soil</code> and nothing else. A record with six columns is kept for a month; a record with three is kept for life. Press <kbd>Ctrl</kbd> + <kbd>S</kbd>.</p>
<table><thead><tr><th>Month</th><th style="text-align:right">Fell, mm</th><th style="text-align:right">Stayed, mm</th></tr></thead><tbody><tr><td>May</td><td style="text-align:right">61.5</td><td style="text-align:right">38.0</td></tr><tr><td>June</td><td style="text-align:right">48.2</td><td style="text-align:right">19.4</td></tr></tbody></table>
"""

LONG_TITLE = "一份关于 PostgreSQL、Redis 与 Kafka 在小型团队里怎样共存、怎样迁移、怎样在凌晨三点不叫醒任何人的完整而冗长的值班手册 (2026 edition)"


SHOWN: dict[str, dict[str, Any]] = {
    "garden/smell/": {
        "points": (Crumb("小雨比暴雨更香：雨滴太快，气泡来不及形成。", "garden/smell/#谁在制造它"),),
        "terms": (Crumb("geosmin", "wiki/geosmin/"),),
        "written": True,
    }
}


def _article(url: str, title: str, html: str, **more: Any) -> SitePage:
    """Return an article with the usual head and foot."""
    page = SitePage(
        url=url, title=title, html=html, lang="zh", kind="article", article_id=url.strip("/").replace("/", "-")
    )
    return dataclasses.replace(page, **more)


def articles() -> tuple[SitePage, ...]:
    """Return the sample's articles."""
    soil, rain = Crumb("土壤", "garden/soil/"), Crumb("雨", "tags/雨/")
    return (
        _article(
            "garden/smell/",
            "雨后的气味从哪里来",
            SOIL,
            summary="geosmin 是什么，谁制造它，为什么小雨比暴雨更香。",
            crumbs=(Crumb("庭园笔记", ""),),
            tags=(rain, Crumb("geosmin", "tags/geosmin/")),
            updated="2026-11-21",
            reading_minutes=6,
            toc=(
                TocEntry("谁在制造它", "谁在制造它", 2, (TocEntry("实验怎么做", "实验怎么做", 3),)),
                TocEntry("各地的土", "各地的土", 2),
                TocEntry("还不知道的", "还不知道的", 2),
            ),
            questions=("雨后的气味是由什么分子造成的？", "为什么小雨比暴雨更香？", "没有 GC–MS 时怎样比较土样？"),
            backlinks=(
                Backlink(
                    "Reading the rain",
                    "notes/rain/",
                    "See 雨后的气味从哪里来 for what happens when the first drops land.",
                    "雨后的气味从哪里来",
                ),
                Backlink(
                    "放线菌",
                    "garden/soil/bacteria/",
                    "它们结出孢子时的气味，见雨后的气味从哪里来。",
                    "雨后的气味从哪里来",
                ),
            ),
            related=(Neighbour("放线菌", "garden/soil/bacteria/", ("土壤",)),),
            next=Crumb("土壤", "garden/soil/"),
        ),
        _article(
            "garden/soil/",
            "土壤",
            "<p>这一页只有一行。</p>",
            crumbs=(Crumb("庭园笔记", ""),),
            updated="2026-10-02",
            reading_minutes=1,
            previous=Crumb("雨后的气味从哪里来", "garden/smell/"),
            next=Crumb("放线菌", "garden/soil/bacteria/"),
        ),
        _article(
            "garden/soil/bacteria/",
            "放线菌",
            BACTERIA,
            crumbs=(Crumb("庭园笔记", ""), soil),
            tags=(Crumb("geosmin", "tags/geosmin/"),),
            generated=True,
            summary="一类丝状细菌，雨后气味与许多抗生素的来源。",
            toc=(TocEntry("习性", "习性", 2),),
            previous=Crumb("土壤", "garden/soil/"),
        ),
        _article(
            "notes/rain/",
            "Reading the rain",
            RAIN,
            lang="en",
            summary="How to keep a rain record for life: where the gauge stands, and the three columns worth writing.",
            crumbs=(Crumb("Field notes", ""),),
            tags=(rain,),
            updated="2026-11-28",
            reading_minutes=4,
            toc=(
                TocEntry("Where to put the gauge", "where-to-put-the-gauge", 2),
                TocEntry("The record", "the-record", 2),
            ),
            questions=("Where should a rain gauge stand?", "What should a rain record contain?"),
            next=Crumb(LONG_TITLE, "notes/on-call/"),
        ),
        _article(
            "notes/on-call/",
            LONG_TITLE,
            "<h2 id='a'>先看这里</h2><p>打开 <code>https://status.example.org/very/long/path/that/never/ends?with=query&amp;and=more</code>，再看日志。</p>",
            crumbs=(Crumb("Field notes", ""),),
            tags=(Crumb("ops", "tags/ops/"),),
            updated="2025-03-09",
            reading_minutes=1,
            toc=(TocEntry("先看这里", "a", 2),),
            previous=Crumb("Reading the rain", "notes/rain/"),
        ),
    )


def listings() -> tuple[Listing, ...]:
    """Return what lists need to know of the sample's articles."""
    return tuple(
        Listing(
            page.url,
            page.title,
            page.lang,
            _folder(page.url),
            page.summary,
            tuple(t.title for t in page.tags),
            page.updated,
        )
        for page in articles()
    )


def _folder(url: str) -> str:
    """Return the folder an article's source lies in; "garden/soil/" is that folder's own page."""
    return url.strip("/") if url.strip("/") in FOLDERS else url.strip("/").rpartition("/")[0]


def sample_site(*, lang: str = "zh", base_path: str = "/", endpoint: str = "") -> Site:
    """Return the whole site in one interface language."""
    found = listings()
    starters = ("为什么小雨比暴雨更香？", "Where should a rain gauge stand?", "烘干土样要多少度？")
    tree: tuple[NavNode, ...] = nav.build(found, FOLDERS)
    drawn, data = maps(articles(), tree, found, lang=lang)
    return Site(
        title="雨土" if lang == "zh" else "Rain and Soil",
        description="一个园丁的双语笔记" if lang == "zh" else "A gardener’s notes in two languages",
        lang=lang,
        base_path=base_path,
        site_url=f"https://rain.example{base_path}",
        ask_endpoint=endpoint,
        build_id="b0123456789abcdef",
        stamp=1_795_000_000,
        pages=(
            pages.home(found, title="雨土", lang=lang, starters=starters, ways={"wiki": "wiki/", "graph": "graph/"}),
            pages.article_index(found, FOLDERS, lang=lang),
            pages.tags_index(found, lang=lang),
            *pages.tag_pages(found, lang=lang),
            *(
                dataclasses.replace(page, local=graph(articles()).local(n), **SHOWN.get(page.url, {}))
                for n, page in enumerate(articles())
            ),
            *wiki(articles(), lang=lang),
            *drawn,
            pages.search_page(drawn, lang=lang),
            pages.unlock_page(lang=lang),
        ),
        nav=tree,
        attachments=(),
        redirects={"old/smell/": "garden/smell/"},
        data=data,
    )
