// What is missing of a reply comes back where it belongs; whole documents, byte for byte.
#include "server/session/recovery.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace session_recovery_test {

using agent_doc::session::recovery_edit;

/// The document after recovery; "whole" when nothing was missing.
std::string recovered(std::string document, const std::string& prompt, const std::string& reply) {
  const auto edit = recovery_edit(document, prompt, reply);
  if (!edit) return "whole";
  document.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  CHECK_FALSE(recovery_edit(document, prompt, reply));
  return document;
}

const std::string kHead = "---\nagent: claude\n---\n\n";

TEST_CASE("recovery: nothing is missing") {
  CHECK(recovered(kHead + "Why?\n\n## Assistant\n\nBecause.\n\n## User\n\n", "Why?", "Because.") ==
        "whole");
  CHECK(recovered(kHead + "Why?\n\n## Assistant\n\nMine. Because. Mine.\n", "Why?", "Because.") ==
        "whole");
  CHECK(recovered("Why?\r\n\r\n## Assistant\r\n\r\nOne.\r\nTwo.\r\n\r\n## User\r\n\r\n", "Why?",
                  "One.\nTwo.") == "whole");
  CHECK(recovered("Other words.\n\nBecause.\n", "Why?", "Because.") == "whole");
}

TEST_CASE("recovery: a reply that ends too early goes on, also for every place where it was cut") {
  const std::string reply = "One.\n\n- two\n- three 日本\n\n```\nfour\n```";
  const std::string begin = kHead + "## User\n\nWhy?\n\n## Assistant\n\n";
  const std::string end = "\n\n## User\n\n";
  for (std::size_t cut = 0; cut < reply.size(); ++cut) {
    if ((static_cast<unsigned char>(reply[cut]) & 0xC0) == 0x80) continue;
    const std::string there = reply.substr(0, cut);
    CAPTURE(cut);
    // An open fence hides the headings below it, so the next prompt is a part of what stands there:
    // then the reply is told whole.
    if (there.find("```") != std::string::npos) {
      CHECK(recovered(begin + there + end, "Why?", reply).find(reply) != std::string::npos);
    } else {
      CHECK(recovered(begin + there + end, "Why?", reply) == begin + reply + end);
      CHECK(recovered(begin + there + end + "And now?\n", "Why?", reply) ==
            begin + reply + end + "And now?\n");
    }
  }
}

TEST_CASE("recovery: what was cut behind white space") {
  CHECK(recovered("Why?\n\n## Assistant\n\nOne.\n\n\n\n## User\n\n", "Why?", "One.\n\nTwo.") ==
        "Why?\n\n## Assistant\n\nOne.\n\nTwo.\n\n## User\n\n");
  CHECK(recovered("Why?\n\n## Assistant\n\nOne.\n\n## User\n\n", "Why?", "One.\n\nTwo.") ==
        "Why?\n\n## Assistant\n\nOne.\n\nTwo.\n\n## User\n\n");
  CHECK(recovered("Why?\r\n\r\n## Assistant\r\n\r\nOne.\r\n\r\n## User\r\n\r\n", "Why?",
                  "One.\nTwo.") ==
        "Why?\r\n\r\n## Assistant\r\n\r\nOne.\r\nTwo.\r\n\r\n## User\r\n\r\n");
}

TEST_CASE("recovery: the frame was not saved") {
  CHECK(recovered(kHead + "Why?\n", "Why?", "Because.") ==
        kHead + "Why?\n\n## Assistant\n\nBecause.\n\n## User\n\n");
  CHECK(recovered("## User\n\nA?\n\n## Assistant\n\nBecause\n\n## User\n\nWhy?\n", "Why?",
                  "Because.") ==
        "## User\n\nA?\n\n## Assistant\n\nBecause\n\n## User\n\nWhy?\n\n## "
        "Assistant\n\nBecause.\n\n## User\n\n");
  CHECK(recovered("## User\n\nWhy?\n\n## User\n\nNext\n", "Why?", "Because.") ==
        "## User\n\nWhy?\n\n## Assistant\n\nBecause.\n\n## User\n\nNext\n");
}

TEST_CASE("recovery: another text stands in the place of the reply, or the prompt is gone") {
  CHECK(recovered("Why?\n\n## Assistant\n\nAn earlier round.\n\n## User\n\n", "Why?", "Because.") ==
        "Why?\n\n## Assistant\n\nAn earlier round.\n\n## Assistant\n\nBecause.\n\n## User\n\n");
  CHECK(recovered(kHead + "Something else.\n", "Why?", "Because.") ==
        kHead + "Something else.\n\n## Assistant\n\nBecause.\n\n## User\n\n");
  CHECK(recovered(kHead, "Why?", "Because.") == kHead + "## Assistant\n\nBecause.\n\n## User\n\n");
  CHECK(recovered("", "Why?", "Because.") == "## Assistant\n\nBecause.\n\n## User\n\n");
}

TEST_CASE("recovery: the same prompt was asked twice") {
  CHECK(recovered("## User\n\ncontinue\n\n## Assistant\n\nOne.\n\n## User\n\ncontinue\n\n## "
                  "Assistant\n\nTw\n\n## User\n\n",
                  "continue", "Two.") ==
        "## User\n\ncontinue\n\n## Assistant\n\nOne.\n\n## User\n\ncontinue\n\n## "
        "Assistant\n\nTwo.\n\n## User\n\n");
}

TEST_CASE("recovery: of a turn that was steered both replies come back, whatever is missing") {
  const agent_doc::store::UnsavedReply missing{
      "t-2",         "d",    "claude",  "s",
      "interrupted", "Two?", "Said 2.", {{"t-1", "One?", "Said 1. More."}}};
  const std::string begin = kHead + "## User\n\nOne?\n\n## Assistant\n\n";
  const std::string middle = "\n\n## User\n\nTwo?";
  const std::string below = "\n\n## Assistant\n\n";
  const std::string end = "\n\n## User\n\n";
  const std::string whole = begin + "Said 1. More." + middle + below + "Said 2." + end;
  const auto after = [&](std::string document) {
    if (const auto edit = recovery_edit(document, missing))
      document.replace(edit->begin, edit->end - edit->begin, edit->replacement);
    CHECK_FALSE(recovery_edit(document, missing));
    CHECK_FALSE(agent_doc::session::can_recover(document, missing));
    return document;
  };
  CHECK(after(whole) == whole);
  CHECK(after(begin + "Said 1." + middle + below + "Said 2." + end) == whole);
  CHECK(after(begin + "Said 1. More." + middle + below + "Sa" + end) == whole);
  CHECK(after(begin + "Said" + middle + below + "Sa" + end) == whole);
  CHECK(after(begin + "Said 1." + middle + "\n") == whole);
  CHECK(after(kHead + "## User\n\nOne?\n") ==
        begin + "Said 1. More." + "\n\n## User" + below + "Said 2." + end);
  CHECK(agent_doc::session::can_recover("## User\n\nOne?\n", missing));
  CHECK_FALSE(agent_doc::session::can_recover("## User\n\nAnother?\n", missing));
  CHECK(agent_doc::session::turns_of(missing) == std::vector<std::string>{"t-1", "t-2"});
}

}  // namespace session_recovery_test
