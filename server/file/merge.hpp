// What it is: how the text that another program left in a file becomes edits of the text that we
// hold, which may be ahead of the file.
// What it is not: I/O (file_buffer.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/text/edit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::file {

/// What `theirs` changed against `base`, moved so that it fits `ours`, which was made from the same
/// base: ascending, in offsets of `ours`. What we inserted since the base stays, and so does what
/// they inserted.
std::vector<text::Edit> merge(std::string_view base, std::string_view theirs,
                              std::string_view ours);

/// The version that the author of `theirs` had read. A program that reads a file, thinks, and
/// writes it back (a script, a formatter) and did not see our last write gives a text in which that
/// write is missing; taken as it stands it would say that the person deleted it. Likewise one that
/// had read a write of ours that was undone gives a text that has it, which is not for them to
/// insert. `current` is what we know to have been in the file last, `earlier` what else was in it
/// lately, newest first. The answer is an index into `earlier`, or nothing: they had read
/// `current`.
///
/// Another version is taken only when all that differs between it and `current` is as in that
/// version in `theirs`, over and above what they changed otherwise, and they left the places alone
/// where it stands: a person who deletes a passage deletes what is around our last write, too, or
/// only a part of it.
std::optional<std::size_t> version_read(std::string_view theirs, std::string_view current,
                                        const std::vector<std::string_view>& earlier);

}  // namespace agent_doc::file
