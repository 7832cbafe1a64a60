// What it is: how clients were measured to behave (when they check versions, what a stale edit
// gets, when and in which shape they report changes), and one table with all the kinds that are
// simulated.
// What it is not: what such a client does in a run (client.hpp).
// Thread rule: plain values.
#pragma once

#include "server/session/edit_pacer.hpp"
#include "server/text/position.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_doc::simulation {

/// Logical milliseconds.
using Time = std::int64_t;

enum class VersionCheck {
  Strict,        ///< only an edit of exactly the text's version is applied
  OlderIsStale,  ///< only an older edit is not applied; 0 is never checked
  None,
};
enum class StaleAnswer { Refused, Failed, ClaimsApplied };
enum class Reports {
  AtOnce,     ///< each change before anything else is sent
  Debounced,  ///< so long after the first change
  WhenIdle,   ///< so long after the last change
};
enum class ChangeShape {
  Exact,         ///< as it was made
  ChangedLines,  ///< found by comparing the changed lines, from the left
  WholeText,     ///< TextDocumentSyncKind.Full
  Diffed,        ///< found by a diff against the text that was told last
  OneRange,  ///< one replacement of all from the first to the last byte that differs from the text
             ///< that was told last
};
/// What a client with ChangedLines leaves out at the end of the last line.
enum class LineEnds { Compared, Ignored };
enum class Answers { AtOnce, Late, Never, AlwaysRefuses };
enum class UndoSteps { EachChange, JoinedWithTyping };
enum class Versions {
  CountChanges,
  Jump,
  CountReports,  ///< what was not told yet does not count: an edit is applied beside it
};
/// Where an edit goes that is applied to another text than it was made for.
enum class Applies { Literally, AtMappedPlace };
/// When an edit is made: kakoune-lsp answers it first, and makes it 26 to 400 ms later, at its
/// place in the text as it is by then; each key in between is told before it.
enum class Makes { BeforeItsAnswer, AfterItsAnswer };
/// What becomes of the text of an edit.
enum class Inserts { AsSent, WithCrLf, WithLf };
enum class FirstVersion { Zero, One };
/// In which units a client counts columns, whatever it agreed to.
enum class Counts { AsAgreed, CodePoints };

struct ClientModel {
  const char* name;
  text::PositionEncoding encoding = text::PositionEncoding::Utf16;
  VersionCheck check = VersionCheck::Strict;
  StaleAnswer stale = StaleAnswer::Refused;
  Reports reports = Reports::AtOnce;
  Time report_delay = 0;
  ChangeShape shape = ChangeShape::Exact;
  Answers answers = Answers::AtOnce;
  UndoSteps undo = UndoSteps::EachChange;
  Versions versions = Versions::CountChanges;
  Applies applies = Applies::Literally;
  Makes makes = Makes::BeforeItsAnswer;
  Inserts inserts = Inserts::AsSent;
  FirstVersion first_version = FirstVersion::One;
  Counts counts = Counts::AsAgreed;
  session::Pace pace = session::kPaceForOtherClients;

  text::PositionEncoding counted() const {
    return counts == Counts::AsAgreed ? encoding : text::PositionEncoding::Utf32;
  }
  /// Whether what it says leaves no doubt about who wrote what. Else equal text counts.
  bool is_exact() const {
    return (shape == ChangeShape::Exact) && check == VersionCheck::Strict &&
           (answers == Answers::AtOnce || answers == Answers::AlwaysRefuses) &&
           makes == Makes::BeforeItsAnswer;
  }
};

const std::vector<ClientModel>& client_models();
const ClientModel& client_model(std::string_view name);

}  // namespace agent_doc::simulation
