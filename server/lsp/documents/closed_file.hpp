// What it is: the seam to the file of a document that its client has closed while a turn ran: then
// the file owns the text (ARCHITECTURE, "Writing into a text that is being typed in"), and the end
// of the reply is written there.
// What it is not: for documents that a client has open; those files are never touched.
// Thread rule: the server's thread only. save() blocks for as long as the disk takes.
#pragma once

#include "server/session/edit_pacer.hpp"

#include <string>
#include <vector>

namespace agent_doc::lsp {

class ClosedFile {
 public:
  enum class Saved {
    Yes,
    NotYet,  ///< another program is writing the file: try again in a moment
    No,
  };
  struct SaveResult {
    Saved saved = Saved::No;
    std::vector<sync::ContentChange>
        foreign;          ///< what other programs had done to the file meanwhile, after the edit
    std::string problem;  ///< for a person, unless it is saved: a whole sentence
  };

  virtual ~ClosedFile() = default;
  virtual const std::string& text() const = 0;
  virtual void apply(const text::Edit& edit) = 0;
  /// Brings all edits to the disk, without losing what others wrote there.
  virtual SaveResult save(session::TimePoint now) = 0;
};

}  // namespace agent_doc::lsp
