#include "plugins/tour/tour_topics.hpp"

#include <algorithm>

namespace agent_doc::plugins::tour {

namespace {

constexpr std::string_view kTyping = R"(### Typing while the reply streams

Go on, do it now: put the cursor above, below or *inside* this text and type.

- What you type stays where you typed it, also in the middle of a sentence of mine.
- What I still have to say comes after the last thing I wrote, not at the end of the file and not at your cursor.
- Delete a paragraph of this reply while it grows: it stays deleted.

The reply is known by two marks that move with every change of the text. They are kept in the server, so there is nothing invisible in your document.
For a reply that takes long enough to try it all, write `long`.
)";

constexpr std::string_view kStop = R"(### Stopping a reply

| where you are | how to stop |
|:--|:--|
| terminal | Ctrl-C |
| LSP editor | the code action **Stop**, or the cancel button of the progress message |
| another program | the command `agentDoc.stop` |

What came until then stays in the document. The question stays in the session too, so you can go on with "please continue".
An agent that does not listen is interrupted, then terminated, then killed, with everything that it started.

To try it, write `long` and stop me in the middle.
)";

constexpr std::string_view kFork = R"(### Forking a conversation

A fork is a second document that starts with the same conversation and then goes its own way.

```sh
agent-doc fork hello.md      # writes hello-fork.md beside it
agent-doc run hello-fork.md  # its first run copies the agent's session
```

1. The new document says where it came from (`forked_from`).
2. Its first run gives the session a new id.
3. The old document and the old session stay exactly as they were.

I keep real sessions, so this works with me: fork this document, ask `history` in both, and compare.
)";

constexpr std::string_view kResume = R"(### Going on tomorrow

The front matter of this document names the session that we are in:

```yaml
---
agent: tour
resume: 01234567-89ab-4cde-8f01-23456789abcd
---
```

- The next run, in another editor or after a restart, goes on with that session.
- The agent then gets your new question, and what you changed above it; it knows the rest.
- Take the `resume` line away and a new session begins. It gets the document to read first.
- When an agent no longer knows the session, you are told. Nothing is replaced behind your back.

Write `history` after a restart, and I quote what you asked me before.
)";

constexpr std::string_view kMarkdown = R"(### A bit of everything

A paragraph with *emphasis*, **strong words**, `code`, ~~second thoughts~~ and a [link](https://commonmark.org).

1. An ordered list
   - with a list inside it
   - and one more
2. goes on after it

- [x] a task that is done
- [ ] a task that waits for you

> A quotation,
>
> > and an answer in it.

| left | middle | right |
|:-----|:------:|------:|
| a    |   b    |     1 |
| äöü  |  漢字  |    22 |

```json
{"fence": "code stays code", "heading": "## User"}
```

The line `## User` in that fence is code, so agent-doc does not take it for a turn.
)";

constexpr std::string_view kTables = R"(### Tables

A table is the hardest thing to watch while it streams: half a row is no row yet.

| what you type | where it ends up |
|:--------------|:-----------------|
| in the row above the one that grows | in that row |
| in the row that grows | there; the rest of the row follows behind my last letter |
| below the table | below the table |

| number | square | cube |
|-------:|-------:|-----:|
| 1 | 1 | 1 |
| 2 | 4 | 8 |
| 3 | 9 | 27 |
| 4 | 16 | 64 |

Most editors get whole lines, so that a row appears at once.
)";

constexpr std::string_view kCode = R"(### Code

```cpp
#include <iostream>
#include <string_view>

int main() {
  constexpr std::string_view greeting = "typed while you watched\n";
  std::cout << greeting;
}
```

```python
def squares(limit):
    """Indentation arrives as it was sent."""
    return [n * n for n in range(limit)]
```

- Tabs and spaces at the start of a line are kept.
- A heading inside a fence is code: it neither starts a turn nor ends one.
- When a reply ends in the middle of a fence, the fence is closed, so that it does not swallow your next question.
)";

constexpr std::string_view kUnicode = R"(### Every script, every emoji

| script | greeting |
|:--|:--|
| 中文 | 你好，世界！ |
| 日本語 | こんにちは、世界。 |
| 한국어 | 안녕하세요, 세계! |
| العربية | مرحبا بالعالم |
| हिन्दी | नमस्ते दुनिया |
| ไทย | สวัสดีชาวโลก |

Emoji of more than one part: 👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇯🇵 1️⃣. Letters with marks of their own: é ñ ạ̈.

I cut my pieces at random, also inside such a character. agent-doc puts them together before your editor sees them.
)";

constexpr std::string_view kThinking = R"(### Thinking

Before this text you may have seen a status line that was replaced a few times: that was my thinking. It is not part of the answer, so it is not in the document.

To keep it, say so in the front matter:

```yaml
thinking: fold
```

Then each reply begins with a folded `<details>` block. Mine only say what I looked for in your question; those of a language model can be worth reading.
)";

constexpr std::string_view kAgents = R"(### Agents

I am only the tour. For real work, take one of the agents that are installed on this computer:

```sh
agent-doc agents   # what is known, and what was found
agent-doc doctor   # starts each of them, to see that it answers
agent-doc run hello.md --agent claude
```

Your own choice goes into `~/.config/agent-doc/config.toml`:

```toml
default_agent = "claude"

[agents.claude-work]
dialect = "claude"
command = "/opt/claude/bin/claude"
env = { CLAUDE_CONFIG_DIR = "/home/me/.claude-work" }
```

A document may choose an agent by its name (`agent: claude-work`), but never a command: documents come from other people.
)";

constexpr std::array<TopicEntry, 16> kTopics{{
    {Topic::Welcome, "tour", "what this is and what you can do here",
     "tour|help|hello|hi|hey|start|begin|introduce|welcome|guide|who are you|what are you|what is "
     "this|what can you do|what can i do|show "
     "me around",
     ""},
    {Topic::Typing, "typing", "type into a reply while it grows",
     "typing|type|keystroke|concurrent|same time|while you", kTyping},
    {Topic::History, "history", "what you asked before, word for word",
     "history|before|earlier|remember|previous|did i ask|did i say|have i asked|my questions|last "
     "question|first question",
     ""},
    {Topic::Permission, "permission", "I ask before I look at the clock",
     "permission|permit|allow|deny|clock|date|today|what time|what day|ask me first", ""},
    {Topic::Rounds, "rounds", "an answer in several steps, with a tool",
     "round|tool|step|count|how many words", ""},
    {Topic::Stop, "stop", "stop a reply, keep what came", "stop|cancel|interrupt|abort|kill|ctrl",
     kStop},
    {Topic::Fork, "fork", "two futures for one conversation", "fork|branch|copy of", kFork},
    {Topic::Resume, "resume", "close everything and go on tomorrow",
     "resume|session|continue|go on|restart|tomorrow", kResume},
    {Topic::Markdown, "markdown", "a bit of everything that markdown has",
     "markdown|showcase|formatting|list|heading", kMarkdown},
    {Topic::Tables, "tables", "the hardest thing to watch while it streams", "table|row|column",
     kTables},
    {Topic::Code, "code", "fences, indentation, and what a heading in them means",
     "code|program|fence|snippet|function|python|c++", kCode},
    {Topic::Unicode, "emoji", "every script, and emoji of several parts",
     "emoji|unicode|cjk|chinese|japanese|korean|arabic|script|utf|你好|中文|こんにちは|日本語|안녕|"
     "한국어",
     kUnicode},
    {Topic::Thinking, "thinking", "where it goes, and how to keep it",
     "thinking|think|thought|reasoning|reason", kThinking},
    {Topic::Agents, "agents", "real agents, and your own configuration",
     "agent|config|configure|configuration|claude|codex|gemini|opencode|install|model|real agent",
     kAgents},
    {Topic::Folder, "folder",
     "what is in this folder, as far as a program can tell that only counts",
     "folder|repository|repo|project|directory|codebase|file|readme|explain this", ""},
    {Topic::Long, "long", "1,200 words, slow enough to type into",
     "long|slow|slowly|essay|story|1200", ""},
}};

constexpr std::string_view kWelcomeCard = R"(## What this is

I am the **tour**: a small program inside agent-doc, no language model. I need no network and no account, and yet everything that you see is real:
a process that streams its answer, a session that you can come back to, a document that stays yours.

- Type above, below or *inside* this text while it grows. No letter of yours is lost.
- Below this reply you will find a new `## User`: write your next question there, and run again.
- Everything is in this file: edit it, delete from it, commit it.

| you want to | terminal | any LSP editor |
|:--|:--|:--|
| run the open question | `agent-doc run FILE` | code action **Run** |
| stop the reply | Ctrl-C | code action **Stop** |
| try another way | `agent-doc fork FILE` | command `agentDoc.fork` |

```sh
agent-doc agents                       # which agents were found
agent-doc run hello.md --agent claude  # a real one
```

Every script arrives whole: 你好 · こんにちは · 안녕하세요 · naïve · 👩‍💻 👍🏽 🇯🇵 ✅
)";

constexpr std::string_view kLongRead = R"(### How a reply gets into your document

This is a long text, and it comes slowly. That is its purpose: there is time to put the cursor anywhere, to type, to delete, to save, to stop it, and to see what happens. It tells what goes on behind the curtain while you do so.

### 1. Two people, one page

Imagine a sheet of paper on a table. You write on it, and somebody else writes on it too, without looking up. Each of you has a pencil, but there is only one sheet. When you insert a line at the top, everything below it moves, and the other one must notice, or their next word lands in the wrong place. Most tools solve this by taking your pencil away until the other one is done. Some let you write, and then glue both texts together as well as they can. agent-doc does neither: both of you keep your pencils.

### 2. Who owns the text

As long as a document is open in your editor, the editor owns it. The server never writes a file that is open somewhere. It has a copy of the text, which it builds from nothing but the changes that the editor reports, and it asks the editor to make a change when the agent has something new to say. If you run agent-doc on a plain file from the terminal, the command line takes the role of the editor. It watches the file, because another program may change it at any time, and it never replaces a version that it has not seen.

### 3. One edit at a time

Between the moment when the server sends an edit and the moment when the editor has dealt with it, you may have typed. So the edit may be applied before your letter, after it, or not at all. The server therefore has only one edit on its way for each document. It waits until it knows what became of it, and it believes only the text: an editor that says "done" may still have dropped the edit, and there are editors that do exactly that. While it waits, new words of the agent are collected. They all go out with the next edit. A slow editor thus gets fewer and larger edits, a fast one gets many small ones, and no queue ever grows.

### 4. Where the reply is

The place of the reply is not found by searching for a heading or a marker. You could have changed the heading; you could have written a second one. Instead, two positions are kept in the server, one where the reply begins and one where it ends. Every change of the text moves them: a letter typed above pushes both down, a letter typed inside pushes only the end, a letter typed below moves neither. So a sentence that you write in the middle of this paragraph stays in the middle of this paragraph, and my next word still follows my last one.

### 5. What may be deleted

The server deletes only what it has inserted itself during the running reply, and only if it must: an agent may say something, use a tool, and then say it better. What you typed is never deleted and never moved, also when it stands in the middle of a text that has to go. If you delete a part of the reply yourself, it stays deleted. It does not come back with the next word, and not at the end of the reply either.

### 6. How an agent speaks

Agents are programs of their own. They print one line of text for each thing that happens: a message begins, three letters came, a tool is used, a message ends. Some send each piece once, some send everything again from the start, some do both, and all of them do strange things when the network breaks. A small translator for each agent turns those lines into the same few events. After every event the text of the reply is right: what was shown once is not shown twice, and nothing is left out because it looks like a repetition. Two equal words in a row can be meant. Thinking and the use of tools do not reach the page. They are shown as a status line that is replaced again and again, and when the last message of the reply begins, the line goes away and the text comes. A line that the translator does not know changes nothing; it is only counted.

### 7. Letters and parts of letters

A piece of text can end anywhere, also between the two halves of an emoji or between a letter and its accent. What reaches your editor is cut more carefully: never inside a character, never between the two bytes of a Windows line end, and for most editors only at the end of a line. The end of the reply is no exception. When the agent is done or dies, whatever was held back is written.

### 8. Stopping

Stop this reply whenever you like. The agent is asked to stop first, in its own language. If it does not, it is interrupted, then terminated, and in the end killed, together with every program that it started. What it said until then stays in the document, and the next question goes to the same session. The same happens when you close the document or the editor: no agent is left behind that works for nobody.

### 9. Questions that it asks

An agent that wants to change a file or to run a command may have to ask. The question appears in your editor or in the terminal, and the agent waits as long as you need. There is no time after which a yes is assumed, and no time after which the question disappears. If you stop the reply instead of answering, the answer is no.

### 10. Tomorrow

The conversation is the document, and the document is a file. You can read it without any tool, search it, send it, keep it in git, and delete the parts that turned out to be wrong. The front matter names the session of the agent, so that it knows what was said before. A fork gives you a second document with the same past and another future. And if the session is gone one day, the document is still there, and a new session can be given it to read.

### 11. What you could try now

Type a line at the very top of this file. Write a word into a paragraph that is long finished, and one into the sentence that is being written at this moment. Delete a whole section. Undo something of your own. Save the file, or change it from a second terminal. Then look at the text again: everything that you typed is where you typed it, and everything that I said is there once, in its order, except what you took away.

That was all. Thank you for reading to the end; hardly anybody does.
)";

}  // namespace

const std::array<TopicEntry, 16>& topics() {
  return kTopics;
}

const TopicEntry& entry_of(Topic topic) {
  const auto& all = topics();
  const auto found = std::find_if(
      all.begin(), all.end(), [topic](const TopicEntry& entry) { return entry.topic == topic; });
  return found == all.end() ? all.front() : *found;
}

std::string_view welcome_card() {
  return kWelcomeCard;
}
std::string_view long_read() {
  return kLongRead;
}

}  // namespace agent_doc::plugins::tour
