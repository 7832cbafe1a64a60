#include "protocol/version.hpp"

namespace agent_doc::protocol {

const std::string_view kServerVersion = AGENT_DOC_VERSION;

}  // namespace agent_doc::protocol
