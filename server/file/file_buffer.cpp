#include "server/file/file_buffer.hpp"

#include "server/file/merge.hpp"

#include <sys/stat.h>

#include <utility>

namespace agent_doc::file {

namespace file_buffer_internal {

/// There is no position between "\r" and "\n" (LSP 3.17): an edit that begins or ends there takes the other half in.
text::Edit outside_line_ends(text::Edit edit, std::string_view text) {
  const auto splits_line_end = [text](std::size_t at) { return at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n'; };
  if (splits_line_end(edit.end)) {
    edit.replacement.push_back('\n');
    ++edit.end;
  }
  if (splits_line_end(edit.begin)) {
    edit.replacement.insert(0, 1, '\r');
    --edit.begin;
  }
  return edit;
}

/// Also of a closed descriptor.
FileMark mark_of(const process::FileDescriptor& file) {
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace file_buffer_internal

FileBuffer::FileBuffer(DocumentFile file, std::string text) : file_(std::move(file)), text_(text), disk_(std::move(text)) {}

void FileBuffer::apply(const text::Edit& own) {
  text_.apply(own);
  dirty_ = true;
}

FileBuffer::Step FileBuffer::look(TimePoint now) {
  const bool settled = look_at_displaced(now);
  const Step step = look_at_file(now);
  return settled || step == Step::Failed ? step : failed(file_.being_written());
}

FileBuffer::Step FileBuffer::look_at_file(TimePoint now) {
  FileResult<std::string> found = file_.read();
  if (found.has_error()) return failed(found.error());
  bool undone = false;
  if (*found != disk_) {
    undone = absorb(*found, now);
    disk_ = std::move(*found);
    dirty_ = text_.text() != disk_;
  }
  if (!dirty_) return Step::InStep;
  return undone ? Step::Undone : Step::Ahead;
}

FileBuffer::Step FileBuffer::write(TimePoint now) {
  if (!look_at_displaced(now)) return failed(file_.being_written());
  if (!dirty_) return look_at_file(now);
  FileResult<Replacement> replaced = file_.replace(disk_, text_.text());
  if (replaced.has_error()) return failed(replaced.error());
  switch (replaced->outcome) {
    case Replacement::Outcome::Written:
      remember(std::exchange(disk_, text_.text()), now, std::move(replaced->displaced));
      dirty_ = false;
      return Step::InStep;
    case Replacement::Outcome::FoundOther:
      absorb(replaced->other, now);
      disk_ = std::move(replaced->other);
      break;
    case Replacement::Outcome::DisplacedOther:
      std::string written = text_.text();
      absorb(replaced->other, now);
      remember(std::exchange(disk_, std::move(written)), now, process::FileDescriptor());
      remember(std::move(replaced->other), now, std::move(replaced->displaced));
      break;
  }
  dirty_ = text_.text() != disk_;
  return dirty_ ? Step::Ahead : Step::InStep;
}

FileBuffer::Step FileBuffer::failed(FileError error) {
  problem_ = std::move(error);
  return problem_.kind == FileErrorKind::BeingWritten ? Step::BeingWritten : Step::Failed;
}

bool FileBuffer::absorb(std::string_view theirs, TimePoint now) {
  forget_old(now);
  std::vector<std::string_view> earlier;
  for (const Earlier& version : earlier_) earlier.push_back(version.text);
  const std::optional<std::size_t> stale = stale_base(theirs, disk_, earlier);
  apply_foreign(merge(stale ? earlier[*stale] : std::string_view(disk_), theirs, text_.text()));
  return stale.has_value();
}

void FileBuffer::apply_foreign(std::vector<text::Edit> edits) {
  // From the last one on, so that each has the offsets of the text as it is then.
  for (auto next = edits.rbegin(); next != edits.rend(); ++next) {
    constexpr auto kEncoding = text::PositionEncoding::Utf8;
    text::Edit edit = file_buffer_internal::outside_line_ends(std::move(*next), text_.text());
    const text::Range range{text_.position_of(edit.begin, kEncoding), text_.position_of(edit.end, kEncoding)};
    text_.apply(edit);
    foreign_edits_.push_back({range, std::move(edit.replacement)});
  }
}

bool FileBuffer::look_at_displaced(TimePoint now) {
  forget_old(now);
  bool settled = true;
  for (Earlier& version : earlier_) {
    if (!version.file.is_open() || file_buffer_internal::mark_of(version.file) == version.file_mark) continue;
    FileResult<std::string> found = file_.read_displaced(version.file);
    if (found.has_error() && found.error().kind == FileErrorKind::BeingWritten) {
      settled = false;
      continue;
    }
    version.file_mark = file_buffer_internal::mark_of(version.file);
    if (found.has_error() || *found == version.text) continue;
    apply_foreign(merge(version.text, *found, text_.text()));
    version.text = std::move(*found);
    dirty_ = text_.text() != disk_;
  }
  return settled;
}

void FileBuffer::forget_old(TimePoint now) {
  while (!earlier_.empty() && now - earlier_.back().replaced_at > kStaleReadWindow) earlier_.pop_back();
}

void FileBuffer::remember(std::string text, TimePoint now, process::FileDescriptor file) {
  const FileMark mark = file_buffer_internal::mark_of(file);
  earlier_.push_front({std::move(text), now, std::move(file), mark});
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < earlier_.size(); ++i) {
    bytes += earlier_[i].text.size();
    if (bytes > kMaxEarlierBytes) earlier_.resize(i);
  }
}

std::vector<FileBuffer::ForeignEdit> FileBuffer::take_foreign_edits() {
  return std::exchange(foreign_edits_, {});
}

}  // namespace agent_doc::file
