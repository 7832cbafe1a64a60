#include "editors/cli/terminal.hpp"

#include "server/text/utf8.hpp"

#include <array>
#include <utility>

namespace agent_doc::cli {

namespace {

constexpr std::string_view kEraseLine = "\r\x1b[2K";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kBegunAnew = "[the agent replaced the text above; the reply is now:]";
constexpr std::array<std::string_view, 10> kSpinner = {"⠋", "⠙", "⠹", "⠸", "⠼",
                                                       "⠴", "⠦", "⠧", "⠇", "⠏"};

std::string dimmed(std::string_view text, Colour colour) {
  return colour == Colour::On ? std::string(kDim).append(text).append(kPlain) : std::string(text);
}

}  // namespace

Suffix suffix(std::string_view shown, std::string_view now) {
  if (now.starts_with(shown)) return {Suffix::Kind::Continues, now.substr(shown.size())};
  if (shown.starts_with(now)) return {Suffix::Kind::Behind, {}};
  return {Suffix::Kind::Diverges, {}};
}

ReplyPrinter::ReplyPrinter(Pace pace, Colour colour, Write write, Look look)
    : pace_(pace),
      colour_(colour),
      write_(std::move(write)),
      look_(pace == Pace::Live ? look : Look::Plain) {
  make_view();
}

void ReplyPrinter::make_view() {
  if (look_ == Look::Rendered)
    view_ = std::make_unique<MarkdownView>(colour_, static_cast<std::size_t>(columns_));
}

void ReplyPrinter::set_columns(int columns) {
  columns_ = columns;
  if (view_) view_->set_columns(static_cast<std::size_t>(columns));
}

void ReplyPrinter::make_room() {
  if (at_line_start()) return;
  write_(view_ ? view_->interrupt() : "\n");
  at_line_start_ = true;
}

void ReplyPrinter::reply(std::size_t offset, std::string_view text) {
  const bool appends = offset >= reply_.size() && in_step_;
  if (offset < reply_.size()) reply_.resize(offset);
  reply_ += text;
  if (pace_ == Pace::Block) return;
  if (!appends) return show();
  go_on();
}

/// Holds empty lines at the end back; if the reply ends with them, they are not printed.
void ReplyPrinter::go_on() {
  std::size_t end = reply_.size();
  while (end > shown_.size() && reply_[end - 1] == '\n') --end;
  if (end < reply_.size() && (end == 0 || reply_[end - 1] != '\n')) ++end;
  const std::string_view rest = std::string_view(reply_).substr(shown_.size(), end - shown_.size());
  shown_ += rest;
  print(rest);
}

void ReplyPrinter::show() {
  const Suffix next = suffix(shown_, reply_);
  in_step_ = next.kind != Suffix::Kind::Behind;
  if (!in_step_) return;
  if (next.kind == Suffix::Kind::Diverges) begin_anew();
  go_on();
}

void ReplyPrinter::finish() {
  const bool has_more = shown_.find_first_not_of(" \t\n", reply_.size()) != std::string::npos;
  if (shown_.size() > reply_.size() && has_more) begin_anew();
  if (shown_.size() < reply_.size()) print(std::string_view(reply_).substr(shown_.size()));
  shown_ = reply_;
  if (view_) {
    write_(view_->finish());
    make_view();
  } else if (!at_line_start_) {
    print("\n");
  }
}

void ReplyPrinter::begin_anew() {
  ++discontinuities_;
  make_room();
  make_view();
  write_(dimmed(kBegunAnew, colour_) + "\n");
  at_line_start_ = true;
  shown_.clear();
  sanitiser_ = turn::Sanitiser();
}

void ReplyPrinter::print(std::string_view text) {
  std::string clean;
  sanitiser_.feed(text, clean);
  if (clean.empty()) return;
  if (view_) return write_(view_->feed(clean));
  at_line_start_ = clean.back() == '\n';
  write_(clean);
}

void ProgressLine::show(const Progress& progress, int columns) {
  std::string line(kSpinner[turn_of_spinner_++ % kSpinner.size()]);
  const auto add = [&line](std::string_view separator, std::string_view part) {
    if (!part.empty()) line.append(separator).append(part);
  };
  add(" ", progress.agent);
  if (progress.phase != progress.status) add(" · ", progress.phase);
  add(" · ", duration(progress.elapsed));
  if (progress.output_tokens > 0) add(" · ", std::to_string(progress.output_tokens) + " tokens");
  add(" · ", progress.status);
  // Leave the last column free: in many terminals, writing it wraps the cursor.
  line = fitted(line, static_cast<std::size_t>(columns > 1 ? columns - 1 : 0));
  write_(std::string(kEraseLine) + dimmed(line, colour_));
  shown_ = true;
}

void ProgressLine::clear() {
  if (std::exchange(shown_, false)) write_(kEraseLine);
}

std::string fitted(std::string_view text, std::size_t columns) {
  const std::string line = turn::one_line(text, 3 * text.size());  // marks make the text longer
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t length = text::sequence_length(line, at);
    // Terminals differ in which characters are wide. Characters of one or two bytes are narrow
    // everywhere.
    used += length <= 2 ? 1 : 2;
    if (used > columns) break;
    at += length;
  }
  return line.substr(0, at);
}

std::string duration(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 60) return std::to_string(seconds) + " s";
  return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
}

}  // namespace agent_doc::cli
