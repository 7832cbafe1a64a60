#include "server/file/earlier_versions.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::file {

void EarlierVersions::remember(std::string text, TimePoint now, process::FileDescriptor file) {
  const Text shared = std::make_shared<const std::string>(std::move(text));
  versions_.push_front({shared, now});
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    bytes += versions_[i].text->size();
    if (bytes > kMaxEarlierBytes || i >= kMaxEarlierVersions) versions_.resize(i);
  }
  if (!file.is_open()) return;
  std::erase_if(files_,
                [&file](const File& known) { return is_same_file(known.descriptor, file); });
  files_.push_front({std::move(file), shared, now, FileMark{}});
  if (files_.size() > kMaxEarlierVersions) files_.pop_back();
}

void EarlierVersions::forget_old(TimePoint now) {
  while (!versions_.empty() && now - versions_.back().replaced_at > kStaleReadWindow)
    versions_.pop_back();
  while (!files_.empty() && now - files_.back().replaced_at > kStaleReadWindow) files_.pop_back();
}

std::vector<std::string_view> EarlierVersions::texts() const {
  std::vector<std::string_view> texts;
  for (const Version& version : versions_) texts.push_back(*version.text);
  return texts;
}

void EarlierVersions::record_text(const process::FileDescriptor& file, std::string_view text) {
  for (File& known : files_) {
    if (*known.text != text && is_same_file(known.descriptor, file))
      known.text = std::make_shared<const std::string>(text);
  }
}

EarlierVersions::Look EarlierVersions::next_change(const DocumentFile& document) {
  Look look;
  for (File& file : files_) {
    const FileMark mark = FileMark::of(file.descriptor);
    if (mark == file.mark || document.is_named(file.descriptor)) continue;
    FileResult<std::string> found = document.read_displaced(file.descriptor);
    if (found.has_error() && found.error().kind == FileErrorKind::BeingWritten) {
      look.being_written = true;
      continue;
    }
    file.mark = mark;
    if (found.has_error() || *found == *file.text) continue;
    look.change = Change{*file.text, *found};
    file.text = std::make_shared<const std::string>(std::move(*found));
    return look;
  }
  return look;
}

}  // namespace agent_doc::file
