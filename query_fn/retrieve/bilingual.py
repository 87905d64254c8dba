"""Common words of documentation in Chinese and English: a question in one language finds pages in the other.

A knowledge base in one language is asked in the other; the embedder bridges the two only roughly, and without one no
word would match. Names and code need no translation; what is asked about them is mostly said with these few hundred
words. Chinese terms stand before the sign, the most usual first; English terms after it, likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from msgspec import Struct

from query_fn.regex import regex
from query_fn.text import Fold, normalise, script_lang, tokenise

LANGUAGES = ("zh", "en")
_PAIRS = """
默认 缺省=default;端口=port;端口号=port number;环境变量=environment variable;变量=variable
配置 设置=configuration/settings;配置文件=configuration file;配置项=option;参数=parameter;选项=option;安装=install
卸载=uninstall;部署=deploy;升级=upgrade;更新=update;版本=version;发布=release/publish;下载=download;上传=upload
服务器 服务端=server;客户端=client;浏览器=browser;网络=network;离线=offline;在线=online;同步=sync;冲突=conflict
备份=backup;恢复 还原=restore;重置=reset;清除 清空=clear/wipe;缓存=cache;删除=delete/remove;移除=remove
添加 增加 新增=add;创建 新建 建立=create;修改 更改=change/modify;编辑=edit;保存=save;重命名=rename;移动=move
复制=copy;粘贴=paste;导入=import;导出=export;搜索 检索=search;查询=query;查看=view;查找=find;过滤 筛选=filter
排序=sort/order;分组=group;聚合=aggregate;启用 开启 打开=enable;禁用 停用 关闭=disable/turn off;启动=start;停止=stop
重启=restart;切换=toggle/switch;运行 执行=run;命令=command;命令行=command line;命令面板=command palette
快捷键=keyboard shortcut;键盘=keyboard;快捷方式=shortcut;按键=key;修饰键=modifier key;前缀=prefix;后缀=suffix
页面=page;首页 主页=home page/index page;文章=article;文档=documentation/document;章节=section/chapter
标题=title/heading;目录=directory/folder;文件夹=folder;文件=file;路径=path;链接=link;反向链接=backlink;标签=tag
模板=template;笔记=note;日记 日志本=journal;日志=log;任务=task;待办=todo;列表=list;表格=table;表=table
图片 图像=image;附件=attachment;属性=attribute/property;元数据=metadata;前言 头信息=frontmatter;对象=object
索引=index;空间=space;整个=entire/whole;用户=user;用户名=username;密码=password;口令=password;账号 帐号 账户=account
登录 登陆=login/log in;注销 登出=logout/log out;注册=register/sign up;认证 身份验证 鉴权=authentication
授权=authorization;权限=permission/access;访问=access;管理员=admin/administrator;管理=manage;角色=role;成员=member
令牌=token;密钥=key/secret;加密=encryption/encrypt;解密=decrypt;证书=certificate;安全=security/secure
隐私=privacy/private;公开 公共=public;私有 私人=private;共享 分享=share;代理=proxy;反向代理=reverse proxy
隧道=tunnel;域名=domain;主机=host;主机名=hostname;地址=address;网址=URL;监听=listen;连接=connect/connection
请求=request;响应=response;接口=API/interface;镜像=image;容器=container;基于=based;发行版=distribution
操作系统=operating system;系统=system;平台=platform;内存=memory/RAM;磁盘 硬盘=disk;存储=storage/store
处理器=CPU/processor;硬件=hardware;机器=machine;设备=device;手机=phone/mobile;电脑=computer;桌面=desktop
应用=app/application;程序=program;插件=plugin/plug;扩展=extension;库=library;数据库=database;数据=data;集群=cluster
节点=node;实例=instance;线程=thread;进程=process;任务队列=task queue;队列=queue;消息=message;事件=event
函数=function;脚本=script;代码=code;编程语言 开发语言=programming language;语言=language;编写=written;语法=syntax
表达式=expression;字符=character;字符串=string;数字=number;布尔=boolean;类型=type;字段=field;列=column;行=row/line
键=key;值=value;数组=array;格式=format;编码=encoding;校验和=checksum;校验=checksum/validation;算法=algorithm
语句=statement;事务=transaction;视图=view;主键=primary key;外键=foreign key;约束=constraint;触发器=trigger
过期=expire/expired;有效期=validity period;时间=time;时钟=clock;周期 间隔=interval;超时=timeout;阈值=threshold
频率=frequency;每天=daily/every day;每周=weekly/every week;每月=monthly/every month;每年=yearly/every year
秒=seconds;分钟=minutes;小时=hours;明天=tomorrow;今天=today;天数=days;周数=weeks;月份=month;年份=year;日期=date
最大 最多=maximum/at most;最小 最少=minimum/at least;上限=limit/maximum;下限=minimum;限制=limit/restriction
大小=size;长度=length;数量=number;次数=number of times;性能=performance;速度=speed;优化=optimize;调优=tuning
监控=monitoring;告警 报警=alert;诊断=diagnose/diagnostics;调试=debug/debugging;测试=test;错误 报错=error
失败=fail/failure;异常=exception;故障=failure/fault;故障排除 排查=troubleshooting;问题=problem/issue
解决=solve/resolve;支持=support;兼容=compatible;要求=requirements;条件=condition;前提 前置=prerequisite;步骤=steps
流程 过程=process;方法=method;方式=way;示例 例子=example;用法=usage;使用=use;功能 特性=feature;作用=purpose
目的=purpose;优点=advantage/benefit;好处=benefit;缺点=disadvantage/drawback;区别=difference;原因=reason
原理=principle;架构=architecture;设计=design;决定 决策=decision;结构=structure;组件=component;模块=module
服务=service;工具=tool;界面=interface/UI;按钮=button;菜单=menu;窗口=window;编辑器=editor;主题=theme;样式=style
字体=font;颜色=color;模式=mode;视频=video;音频=audio;通知=notification;提醒=reminder;评论=comment;遥测=telemetry
跟踪 追踪=tracking/trackers;统计=statistics;报告=report;图表=chart;推荐=recommended;建议=recommend/suggestion
必须=must;可选=optional;免费=free;价格=price;费用 成本=cost;报销=expense/reimbursement;付款 支付=payment
资助 赞助=sponsor/fund;预算=budget;公司=company;团队=team;部门=department;经理=manager
员工 职员=employee/team member;创始人=founder;成立=founded/incorporated;历史=history;使命=mission;愿景=vision
价值观=values;核心=core;文化=culture;战略 策略=strategy;目标=goal/objective;招聘=hiring;面试=interview
候选人=candidate;入职=onboarding;离职=offboarding;晋升 升职=promotion;调动 转岗=transfer
薪酬 工资 薪水=compensation/salary;福利=benefits;休假 假期=leave/time off/vacation;病假=sick leave
产假=parental leave;差旅 出差=travel;机票=flight;酒店=hotel;餐饮 用餐=meals;会议=meeting;日程 日历=calendar
申请=apply/application;审批 批准=approval/approve;提交=submit;负责=responsible;负责人=owner/responsible;联系=contact
邮件 邮箱=email;电话=phone;频道=channel;客户=customer;合作伙伴=partner;销售=sales;市场 营销=marketing;产品=product
工程=engineering;工程师=engineer;开发=development/develop;开源=open source;许可证 协议=license;贡献=contribute
社区=community;法律=legal;合规=compliance;财务=finance;季度=quarter;财年=fiscal year;培训=training;学习=learn
指南=guide;教程=tutorial;入门=getting started;常见问题=FAQ;手册=handbook/manual;概念=concept;术语=term/glossary
定义=definition;概述=overview;总结 摘要=summary;变更日志=changelog;迁移=migrate/migration;复用=reuse;分支=branch
合并=merge;合并请求=merge request;提交记录=commit;仓库 代码库=repository;同时=simultaneously
自动=automatic/automatically;手动=manual/manually;立即=immediately;临时=temporarily/temporary;永久=permanent
全部 所有=all;多个=multiple;单个=single;本地=local;远程=remote;全局=global;内置 自带=built-in;自定义=custom
覆盖=override;嵌套=nested;递归=recursive;随机=random;空=empty;大小写=case;正则=regular expression;全文=full text
向量=vector;嵌入=embedding/embed;模型=model;人工智能=AI;提示词=prompt;签名=signature;会话=session;表单=form
字节=bytes;压缩=compress
"""
_RUNS = regex(r"([\u3400-\u9fff]+)|[^\u3400-\u9fff]+")
_NAME = regex(r"[^\s?!,;:()]*[A-Za-z0-9][^\s?!,;:()]*")


class Translation(Struct, frozen=True):
    """A question in the words of the other language.

    `terms` are what it names, each as the ways to say it; `share` tells how much of the content could be said at all.
    """

    terms: tuple[tuple[str, ...], ...]
    share: float

    @property
    def text(self) -> str:
        """Every way to say every term, to search with."""
        return " ".join(dict.fromkeys(way for ways in self.terms for way in ways))


def translated(
    question: str, to: str, *, content: Callable[[str], str], fold: Fold | None = None
) -> Translation | None:
    """Return the known words of a question in language `to`, names and code as they stand; None when none is known.

    `content` drops the words that only ask; what is left counts in the share.
    """
    asked = script_lang(question)
    if {asked, to} != set(LANGUAGES):
        return None
    rest = content(question)
    found = list(_english(normalise(rest, fold)) if to == "en" else _chinese(rest))
    terms = tuple(dict.fromkeys(ways for ways, _ in found if ways))
    said = sum(size for ways, size in found if ways)
    return Translation(terms, said / sum(size for _, size in found)) if terms else None


Said = tuple[tuple[str, ...], int]  # the ways to say a piece of the question, none when unknown, and its length


def _english(rest: str) -> Iterator[Said]:
    """Yield runs of Chinese by the longest known word at each place, a Chinese character counting as half a word."""
    known = _known()
    for run in _RUNS.finditer(rest):
        if not run[1]:
            yield from (((word,), 2) for word in _NAME.findall(run[0]))
            continue
        at = 0
        while at < len(run[1]):
            longest = (run[1][at : at + n] for n in range(_LONGEST, 0, -1))
            word = next((part for part in longest if part in known), run[1][at])
            yield known.get(word, ()), len(word)
            at += len(word)


def _chinese(rest: str) -> Iterator[Said]:
    """Yield English words by their stem, two together before one; a name, code or number stands as it is."""
    words, at = _NAME.findall(rest), 0
    while at < len(words):
        found = ((n, _ways(" ".join(words[at : at + n]))) for n in (2, 1))
        size, ways = next(((n, ways) for n, ways in found if ways), (0, ()))
        named = words[at] != words[at].lower() or not words[at].isalpha()
        yield ways or (words[at],) * named, size or 1
        at += size or 1


_LONGEST = 6  # characters of the longest Chinese term


@cache
def _pairs() -> tuple[tuple[str, str], ...]:
    """Return what is known: Chinese terms with blanks between them, English ones with slashes."""
    entries = (entry for line in _PAIRS.split("\n") for entry in line.split(";") if entry)
    return tuple((chinese, english) for chinese, _, english in (entry.partition("=") for entry in entries))


@cache
def _known() -> Mapping[str, tuple[str, ...]]:
    """Return the Chinese terms with the ways to say each in English."""
    return {term: tuple(english.split("/")) for chinese, english in _pairs() for term in chinese.split()}


def _ways(words: str) -> tuple[str, ...]:
    """Return the ways to say English words in Chinese, none when they are not known."""
    stems = _stems(words)
    return _beginning(stems[:1]).get(stems, ())


@cache
def _beginning(letter: str) -> Mapping[str, tuple[str, ...]]:
    """Return the English terms with a first letter by their stems: cutting all of them takes a cold start 60 ms."""
    table: dict[str, tuple[str, ...]] = {}
    for chinese, english in _pairs():
        for term in english.split("/"):
            if term[:1].lower() == letter:
                table.setdefault(_stems(term), tuple(chinese.split()))
    return table


def _stems(words: str) -> str:
    return " ".join(tokenise(words))
