// The translation unit that compiles Boost.Asio and Boost.Process v2, which are used as separately
// compiled libraries. The order matters: Boost.Process 1.81 uses declarations of Asio's
// implementation.
#include <boost/asio/impl/src.hpp>
//
#include <boost/process/v2/src.hpp>
