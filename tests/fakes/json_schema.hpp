// What it is: a JSON schema (draft 2020-12) and what is wrong with a value by it; as much of the
// draft as protocol/agent-doc.schema.json needs.
// What it is not: a validator for any schema: a keyword that it does not know is an error of the
// schema, so that nothing is passed over silently.
// Thread rule: a plain value; problems() changes nothing.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::fakes {

class JsonSchema {
 public:
  /// Throws std::runtime_error for a keyword that is not known, a value of a keyword that is of a
  /// wrong type, and a `$ref` that leads nowhere or out of `$defs`.
  explicit JsonSchema(boost::json::value schema);

  /// The names in `$defs`, in their order.
  std::vector<std::string> definitions() const;
  bool has(std::string_view definition) const;
  /// What `definition` is; precondition: has().
  const boost::json::value& definition(std::string_view definition) const;

  /// What is wrong with `value` by `definition`, each as "/path: words"; empty when nothing is.
  /// Precondition: has().
  std::vector<std::string> problems(std::string_view definition,
                                    const boost::json::value& value) const;

 private:
  boost::json::value schema_;
};

}  // namespace agent_doc::fakes
