#include "tests/soak/counted_memory.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  live += ::malloc_usable_size(memory);
  return memory;
}

void give_back(void* memory) {
  if (memory != nullptr) live -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

namespace agent_doc::soak {

std::size_t live_bytes() {
  return live;
}

}  // namespace agent_doc::soak

void* operator new(std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}
void* operator new[](std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}
/// std::stable_sort asks so.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  return memory == nullptr ? nullptr : counted(memory);
}
void* operator new[](std::size_t size, const std::nothrow_t& none) noexcept {
  return ::operator new(size, none);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  give_back(memory);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(align, (size + align) / align * align));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return ::operator new(size, alignment);
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete[](void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  give_back(memory);
}
