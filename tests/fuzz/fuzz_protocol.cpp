// Any bytes into FrameReader and Endpoint. The first byte of the input chooses how: the rest as a
// raw stream in pieces of that size, or (first byte 0) every line of the rest in a frame of its
// own, so that the fuzzer gets past the framing. Checked: no crash, every answer is a message that
// we can read ourselves, no request has two answers, and after close() nothing is sent.
//
// Build with clang: -fsanitize=fuzzer,address,undefined; run: fuzz_protocol -max_total_time=60
// tests/fuzz/seeds/protocol
#include "protocol/endpoint.hpp"
#include "protocol/framing.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace agent_doc::protocol {
namespace fuzz_protocol_internal {

void require(bool holds) {
  if (!holds) std::abort();
}

class Peer {
 public:
  Peer() {
    endpoint_->on_request("echo", [this](const boost::json::value& params, Replier reply) {
      ++handled_;
      reply.result(params);
    });
    endpoint_->on_request("keep", [this](const boost::json::value&, Replier reply) {
      ++handled_;
      reply.on_cancel([this] { kept_.clear(); });
      kept_.push_back(std::move(reply));
    });
    endpoint_->on_request("ask", [this](const boost::json::value& params, Replier reply) {
      ++handled_;
      endpoint_->request(
          "question", params,
          [kept = std::make_shared<Replier>(std::move(reply))](const Result& result) {
            if (const auto* value = std::get_if<boost::json::value>(&result)) kept->result(*value);
          });
    });
    endpoint_->on_request("throw", [this](const boost::json::value&, Replier) {
      ++handled_;
      throw std::runtime_error("thrown");
    });
    endpoint_->on_notification("fields", [](const boost::json::value& params) {
      const Fields fields(params, "params");
      for (const Fields& change : fields.objects("changes")) change.integer("n", kUnsignedRange);
      fields.object("document").string("uri");
    });
    endpoint_->on_notification("settle", [this](const boost::json::value& params) {
      std::vector<Replier> kept = std::exchange(kept_, {});
      for (Replier& reply : kept) reply.result(params);
    });
    endpoint_->on_notification("close", [this](const boost::json::value&) { endpoint_->close(); });
  }

  void receive(std::string_view body) { endpoint_->receive(body); }

  void finish() {
    kept_.clear();
    endpoint_->close();
    const std::size_t before = sent_;
    receive(R"({"jsonrpc":"2.0","id":1,"method":"echo"})");
    endpoint_->notify("n", nullptr);
    require(sent_ == before);
    require(answers_ <= handled_ + refused_);
  }

 private:
  void take(const std::string& body) {
    ++sent_;
    require(!endpoint_->closed());
    const Message message = parse_message(body);
    require(!std::holds_alternative<Invalid>(message));
    const auto* response = std::get_if<Response>(&message);
    if (response == nullptr) return;
    ++answers_;
    // Refusals carry codes that no handler here uses; everything else answers a request that was
    // handled.
    const auto* error = std::get_if<Error>(&response->result);
    if (error != nullptr && error->code != ErrorCode::InternalError &&
        error->code != ErrorCode::RequestCancelled)
      ++refused_;
  }

  std::size_t sent_ = 0;
  std::size_t handled_ = 0;
  std::size_t answers_ = 0;
  std::size_t refused_ = 0;
  std::vector<Replier> kept_;
  std::shared_ptr<Endpoint> endpoint_ =
      Endpoint::make([this](const std::string& body) { take(body); }, [](std::string_view) {});
};

void read_frames(FrameReader& reader, Peer& peer, std::string_view bytes, std::size_t piece) {
  while (!bytes.empty()) {
    const std::string_view now = bytes.substr(0, piece);
    bytes.remove_prefix(now.size());
    reader.feed(now);
    while (const auto body = reader.next()) peer.receive(*body);
  }
}

}  // namespace fuzz_protocol_internal
}  // namespace agent_doc::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using agent_doc::protocol::FrameReader;
  using agent_doc::protocol::fuzz_protocol_internal::Peer;
  if (size == 0) return 0;
  const std::size_t piece = data[0];
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  FrameReader reader;
  Peer peer;
  if (piece > 0) {
    agent_doc::protocol::fuzz_protocol_internal::read_frames(reader, peer, bytes, piece);
  } else {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      agent_doc::protocol::fuzz_protocol_internal::read_frames(
          reader, peer, agent_doc::protocol::frame(bytes.substr(0, end)), 64);
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    }
    agent_doc::protocol::fuzz_protocol_internal::require(
        reader.error() == agent_doc::protocol::FramingError::None && !reader.mid_frame());
  }
  peer.finish();
  return 0;
}
