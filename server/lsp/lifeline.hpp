// Ties callbacks to the lifetime of an object: once the object is gone, they do nothing. Nothing is
// kept alive.
//
//     endpoint.request(method, params, lifeline_.tie([this](protocol::Result result) { … }));
#pragma once

#include <memory>
#include <utility>

namespace agent_doc::lsp {

/// A member of the object that hands out callbacks; declare it last.
class Lifeline {
 public:
  Lifeline() = default;
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  template <class Callback>
  auto tie(Callback callback) const {
    return [alive = std::weak_ptr<int>(token_),
            callback = std::move(callback)](auto&&... arguments) mutable {
      if (!alive.expired()) callback(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<int> token_ = std::make_shared<int>(0);
};

}  // namespace agent_doc::lsp
