// The interface to the file of a document that its client closed while a turn ran. The file owns
// the text then (ARCHITECTURE, "Writing into a text that is being typed in"), and the end of the
// reply is written into it. Files of open documents are never touched.
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
    /// Changes that other programs made to the file meanwhile, relative to the text after the edit.
    std::vector<sync::ContentChange> foreign;
    std::string problem;  ///< a sentence for the user, unless saved
  };

  virtual ~ClosedFile() = default;
  virtual const std::string& text() const = 0;
  virtual void apply(const text::Edit& edit) = 0;
  /// Writes all edits to the disk without losing what others wrote there. Blocks on the disk.
  virtual SaveResult save(session::TimePoint now) = 0;
};

}  // namespace agent_doc::lsp
