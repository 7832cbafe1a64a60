#include "server/file/file_buffer.hpp"

#include "server/file/merge.hpp"

#include <utility>

namespace agent_doc::file {

namespace {

/// There is no position between "\r" and "\n" (LSP 3.17): an edit that begins or ends there is
/// extended over the other half.
text::Edit outside_line_ends(text::Edit edit, std::string_view text) {
  const auto splits_line_end = [text](std::size_t at) {
    return at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n';
  };
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

}  // namespace

FileBuffer::FileBuffer(DocumentFile file, std::string text)
    : file_(std::move(file)), text_(text), disk_(std::move(text)) {}

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
  FileResult<FoundText> found = file_.find();
  if (found.has_error()) return failed(found.error());
  Author author = Author::HadSeenIt;
  if (found->text != disk_) {
    // The author may have read what was written into a file that lost the name only now.
    look_at_displaced(now);
    author = absorb(disk_, found->text);
    disk_ = std::move(found->text);
    dirty_ = text_.text() != disk_;
  }
  earlier_.record_text(found->file, disk_);
  if (!dirty_) return Step::InStep;
  return author == Author::HadSeenIt ? Step::Ahead : Step::Undone;
}

FileBuffer::Step FileBuffer::write(TimePoint now) {
  if (!look_at_displaced(now)) return failed(file_.being_written());
  if (!dirty_) return look_at_file(now);
  const TimePoint began = file_.calls().now();
  FileResult<Replacement> replaced = file_.replace(disk_, text_.text());
  now += file_.calls().now() - began;
  if (replaced.has_error()) return failed(replaced.error());
  if (replaced->put_back.is_open()) earlier_.remember(disk_, now, std::move(replaced->put_back));
  switch (replaced->outcome) {
    case Replacement::Outcome::Written:
      earlier_.remember(std::exchange(disk_, text_.text()), now, std::move(replaced->displaced));
      dirty_ = false;
      if (!look_at_displaced(now)) return failed(file_.being_written());
      return dirty_ ? Step::Ahead : Step::InStep;
    case Replacement::Outcome::FoundOther:
      return look_at_file(now);
    case Replacement::Outcome::DisplacedOther: {
      std::string written = text_.text();
      earlier_.remember(written, now, std::move(replaced->withdrawn));
      look_at_displaced(now);
      absorb(disk_, replaced->other);
      earlier_.remember(std::exchange(disk_, std::move(written)), now, process::FileDescriptor());
      earlier_.remember(std::move(replaced->other), now, std::move(replaced->displaced));
      dirty_ = text_.text() != disk_;
      return dirty_ ? Step::Ahead : Step::InStep;
    }
    case Replacement::Outcome::Withdrawn:
      earlier_.remember(text_.text(), now, std::move(replaced->withdrawn));
      earlier_.remember(disk_, now, std::move(replaced->displaced));
      return failed(std::move(replaced->why));
  }
  return Step::Failed;
}

FileBuffer::Step FileBuffer::failed(FileError error) {
  problem_ = std::move(error);
  return problem_.kind == FileErrorKind::BeingWritten ? Step::BeingWritten : Step::Failed;
}

FileBuffer::Author FileBuffer::absorb(std::string_view before, std::string_view theirs) {
  const std::vector<std::string_view> earlier = earlier_.texts();
  const std::optional<std::size_t> read = version_read(theirs, before, earlier);
  apply_foreign(merge(read ? earlier[*read] : before, theirs, text_.text()));
  return read ? Author::HadNotSeenIt : Author::HadSeenIt;
}

void FileBuffer::apply_foreign(std::vector<text::Edit> edits) {
  // From the last edit on, so that the offsets of the others stay valid.
  for (auto next = edits.rbegin(); next != edits.rend(); ++next) {
    constexpr auto kEncoding = text::PositionEncoding::Utf8;
    text::Edit edit = outside_line_ends(std::move(*next), text_.text());
    const text::Range range{text_.position_of(edit.begin, kEncoding),
                            text_.position_of(edit.end, kEncoding)};
    text_.apply(edit);
    foreign_edits_.push_back({range, std::move(edit.replacement)});
  }
}

bool FileBuffer::look_at_displaced(TimePoint now) {
  earlier_.forget_old(now);
  EarlierVersions::Look look = earlier_.next_change(file_);
  for (; look.change; look = earlier_.next_change(file_)) {
    absorb(look.change->before, look.change->after);
    earlier_.remember(std::move(look.change->after), now,
                      process::FileDescriptor());  // it may have had the name for a while
    dirty_ = text_.text() != disk_;
  }
  return !look.being_written;
}

std::vector<FileBuffer::ForeignEdit> FileBuffer::take_foreign_edits() {
  return std::exchange(foreign_edits_, {});
}

}  // namespace agent_doc::file
