// What it is: the texts that compacting a document makes: an archive with its older turns and the
// document without them, and back. No byte is lost: what is moved is moved as it is, and the front
// matter as it was before stands in the archive.
// What it is not: it writes no file.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::session {

/// How the two files name each other: without folders, for they stand side by side.
struct ArchiveNames {
  std::string_view document;
  std::string_view archive;
};

struct Compacted {
  std::string archive;
  std::string document;   ///< names the archive, and no session: the next run begins a new one
  std::size_t turns = 0;  ///< so many went into the archive
  std::size_t bytes = 0;  ///< and so many bytes
};

enum class NoCompact {
  TooFewTurns,  ///< there are not more turns than are to stay
  NotSafe,      ///< restored() would not give the document back, or a turn would be cut
};

/// Moves all turns with a reply but the last `keep`, which is not 0. The text above the first turn
/// and the open prompt stay.
std::variant<Compacted, NoCompact> compacted(std::string_view document, std::size_t keep,
                                             const ArchiveNames& names);

struct Restored {
  std::string document;
  std::size_t turns = 0;  ///< so many came back
  /// Whether the archive has nothing else: its front matter is as it was made.
  bool archive_is_used_up = false;
  /// Whether the front matter is as before; else it was changed since, and only its link to the
  /// archive was taken away.
  bool is_front_matter_as_before = false;
};

enum class NoRestore {
  NoArchive,  ///< the text is no archive of a document of this name
};

/// Puts the turns of `archive`, as they are by now, above the first turn of `document`.
std::variant<Restored, NoRestore> restored(std::string_view document, std::string_view archive,
                                           const ArchiveNames& names);

/// Returns how the file `document` (without a folder) calls its archive number `attempt`: from 1.
std::string archive_name(std::string_view document, std::size_t attempt);

}  // namespace agent_doc::session
