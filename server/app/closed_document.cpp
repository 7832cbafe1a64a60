#include "server/app/closed_document.hpp"

#include "server/file/file_buffer.hpp"

#include <utility>

namespace agent_doc::app {

namespace {

class ClosedDocument final : public lsp::ClosedFile {
 public:
  explicit ClosedDocument(file::FileBuffer buffer)
      : buffer_(std::move(buffer)), session_text_(buffer_.text()) {}

  const std::string& text() const override { return session_text_.text(); }

  void apply(const text::Edit& edit) override {
    buffer_.apply(edit);
    session_text_.apply(edit);
  }

  SaveResult save(session::TimePoint now) override {
    SaveResult result;
    result.saved = write(now, result.problem);
    if (result.saved != Saved::Yes) return result;
    for (file::FileBuffer::ForeignEdit& foreign : buffer_.take_foreign_edits())
      add_foreign_change(std::move(foreign), result.foreign);
    return result;
  }

 private:
  Saved write(session::TimePoint now, std::string& problem) {
    for (int attempt = 0; attempt < kMaxWritesInARow; ++attempt) {
      const file::FileBuffer::Step step = buffer_.write(now);
      if (step == file::FileBuffer::Step::InStep) return Saved::Yes;
      if (step == file::FileBuffer::Step::Ahead) continue;
      problem = buffer_.problem().message;
      return step == file::FileBuffer::Step::BeingWritten ? Saved::NotYet : Saved::No;
    }
    problem = buffer_.file().shown_as() + " is written by another program again and again.";
    return Saved::NotYet;
  }

  /// Converts to bytes: the session's encoding is the client's, the file's is not.
  void add_foreign_change(file::FileBuffer::ForeignEdit foreign,
                          std::vector<sync::ContentChange>& changes) {
    constexpr auto kEncoding = text::PositionEncoding::Utf8;
    text::Edit edit{session_text_.offset_of(foreign.range.start, kEncoding),
                    session_text_.offset_of(foreign.range.end, kEncoding),
                    std::move(foreign.replacement)};
    session_text_.apply(edit);
    changes.emplace_back(std::move(edit));
  }

  file::FileBuffer buffer_;
  text::TextBuffer session_text_;  ///< the text as the session knows it
};

}  // namespace

boost::system::result<std::unique_ptr<lsp::ClosedFile>, std::string> open_closed_document(
    const std::string& path) {
  auto file = file::DocumentFile::open(path);
  if (file.has_error()) return file.error().message;
  auto text = file->read();
  if (text.has_error()) return text.error().message;
  return std::make_unique<ClosedDocument>(file::FileBuffer(std::move(*file), std::move(*text)));
}

}  // namespace agent_doc::app
