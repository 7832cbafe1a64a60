// The one translation unit that holds the code of Boost.Asio and Boost.Process v2 (both are
// compiled separately, not header-only). The order matters: Boost.Process 1.81 uses what Asio's
// implementation declares.
#include <boost/asio/impl/src.hpp>
//
#include <boost/process/v2/src.hpp>
