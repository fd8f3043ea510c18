// A collector for benchdb in C++: the product of two square matrices, on one CPU core.
// Build and use: g++ -O3 -march=native -o ~/.config/benchdb/collectors/cpp-matmul matmul.cpp
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

using Matrix = std::vector<float>;
static volatile std::sig_atomic_t stopped = 0;

static int refuse(const std::string &why) { return std::cerr << "cpp-matmul: " << why << "\n", 2; }

static void multiply(const Matrix &a, const Matrix &b, Matrix &c, size_t n) {
  std::fill(c.begin(), c.end(), 0.0f);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// A sample of the entries against a sum in double: the largest error of any, relative.
static double error(const Matrix &a, const Matrix &b, const Matrix &c, size_t n) {
  double worst = 0, largest = 1e-30;
  for (size_t i = 0; i < n; i += 7) {
    double sum = 0;
    size_t j = (i * 31) % n;
    for (size_t k = 0; k < n; k++) sum += double(a[i * n + k]) * b[k * n + j];
    worst = std::max(worst, std::abs(sum - c[i * n + j]));
    largest = std::max(largest, std::abs(sum));
  }
  return worst / largest;
}
int main(int count, char **words) {
  std::map<std::string, std::string> asked = {
      {"--device", "cpu"}, {"--tier", "quick"}, {"--seed", "0"}, {"--replicate", "0"},
      {"--replicates", "1"}, {"--precision", "fp32"}, {"--set", "size=512"}};
  std::string workload;
  for (int i = 1; i < count; i++) {
    std::string word = words[i];
    if (word == "--describe") {
      std::cout << R"({"type": "collector", "format": 1, "name": "cpp-matmul", "version": "1.0",
 "framework": "cpp-loops", "framework_version": ")" << __VERSION__ << R"(",
 "devices": {"cpu": {"available": true, "name": "one core"}}, "precisions": {"cpu": ["fp32"]},
 "workloads": [{"name": "matmul", "parameters": {"size": [256, 512, 1024]}, "metrics": ["teraflops", "max_relative_error"]}]})" << "\n";
      return 0;
    }
    bool flag = word == "--powermetrics" || word == "--blocks-only";
    if (word.rfind("--", 0) != 0) workload = word;
    else if (!flag && i + 1 < count) asked[word] = words[++i];
  }
  if (workload != "matmul") return refuse("no workload '" + workload + "'; there is matmul");
  if (asked["--device"] != "cpu") return refuse("no device " + asked["--device"] + "; there is cpu");
  if (asked["--precision"] != "fp32") return refuse("no precision " + asked["--precision"]);
  if (asked["--set"].rfind("size=", 0) != 0) return refuse("no choice but of size");
  size_t n = std::strtoul(asked["--set"].c_str() + 5, nullptr, 10);
  if (n < 1 || n > 16384) return refuse("size is 1 to 16384");
  for (int number : {SIGINT, SIGTERM}) std::signal(number, [](int) { stopped = 1; });
  long seed = std::stol(asked["--seed"]) + std::stol(asked["--replicate"]);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Matrix a(n * n), b(n * n), c(n * n);
  for (Matrix *m : {&a, &b}) for (auto &x : *m) x = uniform(random);
  char now[32];
  std::time_t clock = std::time(nullptr);
  std::strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%S+00:00", std::gmtime(&clock));
  std::cout << R"({"type":"header","format":1,"producer":"cpp-matmul","producer_version":"1.0"}
{"type":"machine","key":"m","chip":{"vendor":"unknown","name":"unknown"}}
{"type":"environment","key":"e","framework":"cpp-loops","framework_version":")" << __VERSION__ << R"("}
{"type":"run","key":"r","machine":"m","environment":"e","workload":"matmul","framework":"cpp-loops","device":"cpu","precision":"fp32","parameters":{"size":)"
            << n << "},\"seed\":" << seed << ",\"tier\":\"" << asked["--tier"] << "\",\"replicate\":" << asked["--replicate"]
            << ",\"replicates\":" << asked["--replicates"] << ",\"started\":\"" << now << "\",\"label\":\"measured\""
            << (asked.count("--campaign") ? ",\"campaign\":\"" + asked["--campaign"] + "\"" : "") << "}" << std::endl;
  double window = asked["--tier"] == "smoke" ? 0.05 : asked["--tier"] == "quick" ? 5 : 20, all = 0;
  std::vector<double> seconds;
  multiply(a, b, c, n);  // to warm up
  while (!stopped && (all < window || seconds.size() < 5)) {
    auto start = std::chrono::steady_clock::now();
    multiply(a, b, c, n);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    all += seconds.back();
  }
  std::cout << R"({"type":"samples","run":"r","phase":"measure","values":[)";
  for (size_t i = 0; i < seconds.size(); i++) std::cout << (i ? "," : "") << seconds[i];
  std::cout << "]}\n" << R"({"type":"end","run":"r","status":)";
  double wrong = error(a, b, c, n);
  if (stopped) std::cout << R"("interrupted","reason":"asked to stop"})" << std::endl;
  else if (wrong > 1e-5) std::cout << R"("failed","reason":"the product is wrong"})" << std::endl;
  else {
    std::sort(seconds.begin(), seconds.end());
    std::cout << R"("ok","values":[{"metric":"teraflops","value":)" << 4e-12 * n * n * n / (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2])
              << R"(},{"metric":"max_relative_error","value":)" << wrong << "}]}" << std::endl;
  }
  return stopped ? 130 : wrong > 1e-5;
}
