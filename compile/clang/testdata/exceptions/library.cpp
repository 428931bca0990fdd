// What the standard library throws, in its headers and in its compiled parts.
#include <algorithm>
#include <any>
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>
#include <unordered_map>
#include <variant>
#include <vector>

struct Base { virtual ~Base() {} };
struct Derived : Base { int x = 1; };
struct Other : Base {};
void *volatile kept;
volatile size_t huge = size_t(-1) / 4 * 3;

template <class F> void attempt(const char *what, F f) {
  printf("%s: ", what);
  try { f(); puts("nothing"); }
  catch (const std::bad_array_new_length &) { puts("bad_array_new_length"); }
  catch (const std::bad_alloc &) { puts("bad_alloc"); }
  catch (const std::out_of_range &) { puts("out_of_range"); }
  catch (const std::length_error &) { puts("length_error"); }
  catch (const std::invalid_argument &) { puts("invalid_argument"); }
  catch (const std::overflow_error &) { puts("overflow_error"); }
  catch (const std::bad_variant_access &) { puts("bad_variant_access"); }
  catch (const std::bad_optional_access &) { puts("bad_optional_access"); }
  catch (const std::bad_any_cast &) { puts("bad_any_cast"); }
  catch (const std::bad_function_call &) { puts("bad_function_call"); }
  catch (const std::bad_weak_ptr &) { puts("bad_weak_ptr"); }
  catch (const std::bad_cast &) { puts("bad_cast"); }
  catch (const std::bad_typeid &) { puts("bad_typeid"); }
  catch (const std::ios_base::failure &) { puts("ios failure"); }
  catch (const std::system_error &e) { printf("system_error %s\n", e.code().message().c_str()); }
  catch (const std::exception &e) { printf("exception %s\n", e.what()); }
  catch (...) { puts("something"); }
}

int main() {
  std::vector<int> v{1, 2, 3};
  std::map<std::string, int> m{{"a", 1}};
  std::unordered_map<int, int> u;
  std::string s = "hello";
  Derived d;
  Base *base = &d, *none = nullptr;
  attempt("vector::at", [&] { v.at(3); });
  attempt("vector::reserve", [&] { v.reserve(huge); });
  attempt("deque::at", [&] { std::deque<int>().at(0); });
  attempt("array::at", [&] { std::array<int, 2>{}.at(huge); });
  attempt("map::at", [&] { m.at("b"); });
  attempt("unordered_map::at", [&] { u.at(1); });
  attempt("string::at", [&] { s.at(9); });
  attempt("string::substr", [&] { s.substr(9); });
  attempt("string::resize", [&] { s.resize(huge); });
  attempt("string::insert", [&] { s.insert(9, "x"); });
  attempt("stoi", [&] { std::stoi("abc"); });
  attempt("stoi large", [&] { std::stoi("99999999999"); });
  attempt("stoull", [&] { std::stoull(""); });
  attempt("stod", [&] { std::stod("x"); });
  attempt("stod large", [&] { std::stod("1e999"); });
  attempt("bitset", [&] { std::bitset<8>("012"); });
  attempt("bitset::set", [&] { std::bitset<8>().set(8); });
  attempt("bitset::to_ulong", [&] { std::bitset<80>().set(70).to_ulong(); });
  attempt("optional::value", [&] { std::optional<int>().value(); });
  attempt("any_cast", [&] { (void)std::any_cast<int>(std::any(1.5)); });
  attempt("get", [&] { std::variant<int, double> w = 1; (void)std::get<double>(w); });
  attempt("function", [&] { std::function<void()>()(); });
  attempt("shared_ptr", [&] { std::weak_ptr<int> w; std::shared_ptr<int> p(w); });
  attempt("dynamic_cast", [&] { (void)dynamic_cast<Other &>(*base); });
  attempt("dynamic_cast fits", [&] { (void)dynamic_cast<Derived &>(*base); });
  attempt("typeid", [&] { puts(typeid(*none).name()); });
  attempt("new", [&] { kept = new char[huge]; });
  attempt("new nothrow", [&] { kept = new (std::nothrow) char[huge]; printf("%d ", kept == nullptr); });
  attempt("ifstream", [&] { std::ifstream in; in.exceptions(std::ios::failbit); in.open("/no/such/file"); });
  attempt("istringstream", [&] { std::istringstream in("x"); in.exceptions(std::ios::failbit); int i; in >> i; });
  attempt("system_error", [&] { throw std::system_error(std::make_error_code(std::errc::invalid_argument)); });
  attempt("sort", [&] { std::sort(v.begin(), v.end(), [](int a, int b) -> bool { if (a == 3 || b == 3) throw std::runtime_error("compare"); return a < b; }); });
  attempt("for_each", [&] { std::for_each(v.begin(), v.end(), [](int x) { if (x == 2) throw x; }); });
  attempt("qsort", [&] { qsort(v.data(), v.size(), sizeof(int), [](const void *, const void *) -> int { throw std::range_error("qsort"); }); });
  attempt("new_handler", [&] { std::set_new_handler([] { std::set_new_handler(nullptr); printf("handler "); }); kept = new char[huge]; });
  attempt("stream callback", [&] { std::ostringstream out; out << 1 << s; if (out.str() != "1hello") throw 1; });
}
