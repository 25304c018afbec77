"""The texts of the server in Simplified Chinese, by what they are in English."""

from __future__ import annotations

from collections.abc import Mapping

CHINESE: Mapping[str, str] = {
    # hovers: the heading, and what stands beside a link
    "Related": "相关",
    " in {path}": "，位于 {path}",
    " (mentions {name})": " (提到 {name})",
    " · {day} · 1 backlink": " · {day} · 1 个反向链接",
    " · {day} · {count} backlinks": " · {day} · {count} 个反向链接",
    " · {day} · 1 backlink · no “{anchor}” in it": " · {day} · 1 个反向链接 · 其中没有“{anchor}”",
    " · {day} · {count} backlinks · no “{anchor}” in it": " · {day} · {count} 个反向链接 · 其中没有“{anchor}”",
    " ({author}, {sha}, in {release})": " ({author}, {sha}, 版本 {release})",
    " ({author}, {sha}, on {branch} and not on HEAD)": " ({author}, {sha}, 在 {branch} 上，不在 HEAD 上)",
    " ({author}, {sha}, in {release}, on {branch} and not on HEAD)": (
        " ({author}, {sha}, 版本 {release}, 在 {branch} 上，不在 HEAD 上)"
    ),
    "without {sha} and what led to it, which are not indexed yet": "不含 {sha} 及其之前的提交：尚未建立索引",
    # reasons
    "; ": "；",  # between them
    "links here": "链接到此处",
    "linked from here": "由此处链接",
    "linked both ways": "互相链接",
    "same topic: {words}": "同一主题：{words}",
    "similar meaning": "含义相近",
    "words in common": "有共同的词语",
    "changed together": "一起更改过",
    "defines {names}": "定义了 {names}",
    "mentions {names}": "提到 {names}",
    "named here: {name}": "此处提到：{name}",
    "named here: {name}, on {branch} and not on HEAD": "此处提到：{name}，在 {branch} 上，不在 HEAD 上",
    # lenses
    "Related {count}": "相关 {count}",
    "Backlinks": "反向链接",
    "Backlinks {count}": "反向链接 {count}",
    "Summarise": "总结",
    "History": "历史",
    "History {count}": "历史 {count}",
    "Last change": "上次更改",
    "Last change {day}, {author}": "上次更改 {day}，{author}",
    "Not committed": "未提交",
    # the menus of lenses, for an editor without commands of its own
    "Links to this note": "指向此笔记的链接",
    "Last changes": "最近更改",
    # code actions
    "Link to “{title}”": "链接到“{title}”",
    "Add tags and a summary": "添加标签和摘要",
    "Open “{title}”": "打开“{title}”",
    "Open {path}, which usually changes with this ({count} of {all} times)": (
        "打开 {path}：它通常与此文件一起更改（{all} 次中有 {count} 次）"
    ),
    "Create the note “{path}”": "创建笔记“{path}”",
    "Why is this line here? Its commits": "为何有这一行？查看它的提交",
    "History of these lines": "这些行的历史",
    "History of {name}": "{name} 的历史",
    "Notes that name {path}": "提到 {path} 的笔记",
    "Ask about the selection": "就所选内容提问",
    "Summarise the selection": "总结所选内容",
}

# What is said in whole sentences: why a file is found, hints, progress, messages. Parts of one are found by themselves.
SENTENCES: Mapping[str, str] = {
    # why a file is found or is not
    "{path} is a folder that is walked; ask about a file in it.": "{path} 是一个会被遍历的文件夹；请询问其中的文件。",
    "{path} is left out ({skipped}): {detail}. {remedy}": "{path} 未被收录 ({skipped})：{detail}。{remedy}",
    "{path} is left out ({skipped}): {detail}.": "{path} 未被收录 ({skipped})：{detail}。",
    "{path} is left out with {folder} ({skipped}): {detail}. {remedy}": (
        "{path} 随 {folder} 一起未被收录 ({skipped})：{detail}。{remedy}"
    ),
    "{path} is left out with {folder} ({skipped}): {detail}.": (
        "{path} 随 {folder} 一起未被收录 ({skipped})：{detail}。"
    ),
    "{path} could not be read ({failure}): {detail}. It is tried again when it changes.": (
        "无法读取 {path} ({failure})：{detail}。文件更改后会重试。"
    ),
    "{path} is to be indexed and is not yet; run: postil index {root}": (
        "{path} 应被索引，但尚未完成；请运行：postil index {root}"
    ),
    "{path} is indexed as {language} in {passages}.{stale}": (
        "{path} 已作为 {language} 建立索引，共 {passages}。{stale}"
    ),
    "1 passage": "1 个段落",
    "{count} passages": "{count} 个段落",
    "1 passage ({detail})": "1 个段落 ({detail})",
    "{count} passages ({detail})": "{count} 个段落 ({detail})",
    " It has changed since; run postil index again.": "此后文件有更改；请再次运行 postil index。",
    # why a file is left out
    "ignored": "被忽略",
    "postilignore": "由 .postilignore 排除",
    "excluded": "由设置排除",
    "version_control": "版本控制",
    "tool_folder": "工具文件夹",
    "secret": "密钥",
    "binary": "二进制",
    "drawing": "绘图",
    "too_large": "过大",
    "minified": "已压缩",
    "generated": "自动生成",
    "symlink": "符号链接",
    "outside": "在文件夹之外",
    "placeholder": "仅在云端",
    "special": "特殊文件",
    "unreadable": "无法读取",
    "missing": "不存在",
    "kept by version control": "由版本控制系统保管",
    "says where a repository is kept": "指明仓库所在的位置",
    "a repository without a work tree": "没有工作区的仓库",
    "holds keys and credentials": "存放密钥和凭据",
    "its name says that it holds keys or credentials": "从名称看，其中存放密钥或凭据",
    "begins as a private key": "开头是一个私钥",
    "installed packages, caches or the state of an application": "已安装的软件包、缓存或应用程序的状态",
    "a virtual environment of Python": "Python 虚拟环境",
    "marked as a cache (CACHEDIR.TAG)": "标记为缓存 (CACHEDIR.TAG)",
    "a file of the type {type}": "{type} 类型的文件",
    "begins as a {kind} file": "开头是 {kind} 文件",
    "has a zero byte at {number}": "在 {number} 处有零字节",
    "has a zero character": "含有零字符",
    "over one in a hundred bytes is a control character": "超过百分之一的字节是控制字符",
    "a lock file, written by a package manager": "由包管理器写入的锁定文件",
    "a drawing": "绘图",
    "a drawing kept in a note": "保存在笔记中的绘图",
    "minified or bundled, by its name": "从名称看，已压缩或打包",
    "written by a program, by its name": "从名称看，由程序生成",
    "line {number} says that a program wrote it": "第 {number} 行说明它由程序生成",
    "mostly lines of over {number} characters; the longest has {more}": (
        "多数行超过 {number} 个字符；最长的一行有 {more} 个"
    ),
    "its content is in iCloud only": "内容仅在 iCloud 中",
    "its content is in a cloud drive only": "内容仅在云盘中",
    "a pipe, socket or device": "管道、套接字或设备",
    "a link to what is not there": "指向不存在之处的链接",
    "a link to {path}, which counts where it lies": "指向 {path} 的链接，以其所在之处为准",
    "a link that leads out of the workspace": "通向工作区之外的链接",
    "it does not lie below the root": "不在根文件夹之下",
    "there is nothing of that name": "没有这个名称的文件",
    "{size}; the limit is {most}": "{size}；上限为 {most}",
    "To index it all the same, write !PATTERN into a .postilignore.": (
        "若仍要索引，请在 .postilignore 中写入 !PATTERN。"
    ),
    "Change the .postilignore to index it.": "更改 .postilignore 即可索引。",
    "Change index.exclude in your settings or in the .postil.toml of the folder to index it.": (
        "更改您的设置或该文件夹 .postil.toml 中的 index.exclude 即可索引。"
    ),
    "Files of this kind are never read.": "此类文件从不读取。",
    # hints at links
    "Nothing in this folder is called “{name}”": "此文件夹中没有名为“{name}”的内容",
    "“{name}” is {path}, the nearest; or {names} and {count} more": (
        "“{name}”指最近的 {path}；也可能是 {names} 以及另外 {count} 个"
    ),
    "“{name}” is {path}, the nearest; or {names}": "“{name}”指最近的 {path}；也可能是 {names}",
    "{path} has no {place} “{name}”": "{path} 中没有{place}“{name}”",
    "heading": "标题",
    "block": "块",
    # progress
    "Indexing {name}": "正在为 {name} 建立索引",
    "{stage} {number} of {more}": "{stage}：{number} / {more}",
    "{stage} {number} of {more}, {rate} a second, {left} min left": (
        "{stage}：{number} / {more}，每秒 {rate}，还需 {left} 分钟"
    ),
    "{stage} {number} of {more}, {rate} a second, {left} s left": (
        "{stage}：{number} / {more}，每秒 {rate}，还需 {left} 秒"
    ),
    "reading": "读取",
    "history": "历史",
    "embedding": "生成向量",
    "trying it with a text": "用一段文本试运行",
    "set": "已设置",
    "{number} of {more} MB": "{number} / {more} MB",
    # messages
    "and {count} more, which the log tells": "以及另外 {count} 条，见日志",
    "{path} is {broad}; it is indexed when Postil's index command is run, or: postil index {root}": (
        "{path} 是{broad}；运行 Postil 的索引命令或以下命令后才会建立索引：postil index {root}"
    ),
    "your home folder": "您的主文件夹",
    "the root of a file system": "文件系统的根目录",
    "a folder that contains your home folder": "包含您主文件夹的文件夹",
    "the root of a drive": "磁盘的根目录",
    "folders: {path} is passed over: write it from `/` or `~` on": (
        "folders：已略过 {path}：请从 `/` 或 `~` 开始书写路径"
    ),
    "folders: {path} is not there and is passed over": "folders：{path} 不存在，已略过",
    "{where}: {key} is not a setting and is passed over": "{where}：{key} 不是设置项，已略过",
    "{where}: {key} is passed over: {passed}": "{where}：已略过 {key}：{passed}",
    "{where}: {key} can leave out more, and bring nothing back: its `!` is passed over": (
        "{where}：{key} 只能排除更多内容，不能恢复：其中的 `!` 已略过"
    ),
    "an index serves all editors and the command line, so only {path} says what it holds": (
        "索引供所有编辑器和命令行共用，因此其内容只由 {path} 决定"
    ),
    "it is user-level, and this may come from a workspace; set it in {path}": (
        "它是用户级设置，而此值可能来自工作区；请在 {path} 中设置"
    ),
    "a workspace can only switch it off": "工作区只能将其关闭",
    "it is user-level; a workspace can only leave out more from its index and switch features off": (
        "它是用户级设置；工作区只能从其索引中排除更多内容，或关闭功能"
    ),
    "{where} must be a {kind}, not {value}; it is passed over": "{where} 必须是 {kind}，而不是 {value}；已略过",
    "{where} can't be read: {error}; nothing in it holds until it is mended": (
        "无法读取 {where}：{error}；修正之前其中的设置均不生效"
    ),
    "{where} can't be used: {detail}; nothing in it holds until it is mended": (
        "无法使用 {where}：{detail}；修正之前其中的设置均不生效"
    ),
}
