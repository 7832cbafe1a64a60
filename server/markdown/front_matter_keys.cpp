#include "server/markdown/front_matter_keys.hpp"

#include <algorithm>

namespace agent_doc::markdown {

namespace {

constexpr std::string_view kModelSuffix = "_model";

}  // namespace

const std::vector<FrontMatterKey>& front_matter_keys() {
  static const std::vector<FrontMatterKey> kKeys = {
      {"agent",
       "Which agent replies in this document.",
       "",
       Marks::SessionDocument,
       ValueSource::Agents,
       {}},
      {"model",
       "Which of the agent's models is used. `NAME_model` is for the agent NAME only.",
       "",
       Marks::SessionDocument,
       ValueSource::Models,
       {}},
      {"rounds",
       "`last`: only the text after the agent's last tool call stays in the document. `all`: the "
       "text between its tool calls, too.",
       "",
       Marks::Nothing,
       ValueSource::Fixed,
       {"last", "all"}},
      {"thinking",
       "`none`: the agent's thinking is not written. `fold`: it is written into a folded "
       "`<details>` block.",
       "",
       Marks::Nothing,
       ValueSource::Fixed,
       {"none", "fold"}},
      {"drift",
       "`shown`: what was changed since the agent saw it is marked with a hint. `quiet`: it is "
       "not. "
       "It goes with the next run either way.",
       "",
       Marks::Nothing,
       ValueSource::Fixed,
       {"shown", "quiet"}},
      {"agent_doc_cwd",
       "The folder that the agent works in, from the workspace on. It must lie inside of it.",
       "",
       Marks::SessionDocument,
       ValueSource::Anything,
       {}},
      {"resume",
       "The agent's session that the next run goes on with; agent-doc writes it. Without it the "
       "next run begins a new session.",
       "",
       Marks::SessionDocument,
       ValueSource::Anything,
       {}},
      {"forked_from",
       "The document and the session that this document was forked from; agent-doc writes it.",
       "",
       Marks::SessionDocument,
       ValueSource::Anything,
       {}},
      {"agent_doc_archive",
       "The file beside this one that has its older turns; `agent-doc compact` writes it.",
       "",
       Marks::SessionDocument,
       ValueSource::Anything,
       {}},
      {"agent_doc_archive_of",
       "The document whose older turns are here; `agent-doc compact` writes it.",
       "",
       Marks::SessionDocument,
       ValueSource::Anything,
       {}},
      {"agent_doc_archived",
       "The front matter of the document before its older turns came here; `agent-doc compact` "
       "writes it.",
       "",
       Marks::SessionDocument,
       ValueSource::Anything,
       {}},
      {"agent_doc_session",
       "Names this document for agent-doc, which writes it; it survives renames.",
       "session",
       Marks::SessionDocument,
       ValueSource::Anything,
       {}},
  };
  return kKeys;
}

const FrontMatterKey* find_front_matter_key(std::string_view key) {
  const std::string_view suffix = kModelSuffix;
  if (key.size() > suffix.size() && key.ends_with(suffix)) key = "model";
  const auto& keys = front_matter_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [key](const FrontMatterKey& row) {
    return row.key == key || (!row.alias.empty() && row.alias == key);
  });
  return found == keys.end() ? nullptr : &*found;
}

bool marks_session_document(std::string_view key) {
  if (key.starts_with("agent_doc_") || key == "response_mode") return true;
  const auto& keys = front_matter_keys();
  return std::any_of(keys.begin(), keys.end(), [key](const FrontMatterKey& row) {
    return row.marks == Marks::SessionDocument &&
           (row.key == key || (!row.alias.empty() && row.alias == key));
  });
}

}  // namespace agent_doc::markdown
