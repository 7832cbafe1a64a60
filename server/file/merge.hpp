// Turns the text that another program left in a file into edits of the text that we hold, which may
// be ahead of the file.
#pragma once

#include "server/text/edit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::file {

/// Returns the changes from `base` to `theirs` as edits of `ours`, which was made from the same
/// base: ascending, with offsets into `ours`. Insertions of both sides are kept.
std::vector<text::Edit> merge(std::string_view base, std::string_view theirs,
                              std::string_view ours);

/// Returns which version the author of `theirs` had read: an index into `earlier`, or nullopt for
/// `current`. `current` is the text last known to be in the file, `earlier` are the texts it had
/// recently, newest first.
///
/// A program that reads a file, works on it and writes it back (a script, a formatter) without
/// seeing our last write produces a text that lacks this write; taken literally, it would mean that
/// the user deleted it. Likewise a program that read a write of ours that was undone produces a
/// text that contains it, which is not its insertion.
///
/// Another version is chosen only when everything in which it differs from `current` is in `theirs`
/// as in that version, beyond what they changed otherwise, and they did not touch those places. A
/// user who deletes a passage deletes what is around our last write, too, or only a part of it.
std::optional<std::size_t> version_read(std::string_view theirs, std::string_view current,
                                        const std::vector<std::string_view>& earlier);

}  // namespace agent_doc::file
