#include "petsc_ranks.h"

#include "petsc_check.h"
#include "petsc_system.h"
#include "talus/core/error.h"

#include <climits>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <numeric>
#include <petscsf.h>
#include <sched.h>

namespace talus::mpi {

void check(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw Error(fmt::format("PETSc: {}", text ? text : "unknown error"));
}

void check_mpi(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(fmt::format("MPI: {}", std::string(text, length)));
}

namespace {

/// Roots are the entries of this rank, leaves the copies it receives.
class SfHalo : public Halo {
public:
  /// `wanted[r]` are the entries of rank r that it sends to this one.
  SfHalo(const HaloPlan& plan, const std::vector<std::vector<Index>>& wanted, MPI_Comm communicator)
      : Halo(plan) {
    PetscInt roots = 0;
    for (const auto& list : plan.send)
      for (const Index k : list) roots = std::max<PetscInt>(roots, k + 1);
    std::vector<PetscSFNode> remote;
    for (std::size_t r = 0; r < wanted.size(); ++r)
      for (const Index k : wanted[r])
        remote.push_back({static_cast<PetscInt>(r), static_cast<PetscInt>(k)});
    received_ = static_cast<Index>(remote.size());
    check(PetscSFCreate(communicator, &forest_));
    check(PetscSFSetGraph(forest_, roots, received_, nullptr, PETSC_COPY_VALUES, remote.data(),
                          PETSC_COPY_VALUES));
    check(PetscSFSetUp(forest_));
  }
  ~SfHalo() override {
    for (auto& [width, type] : types_) MPI_Type_free(&type);
    PetscSFDestroy(&forest_);
  }
  Index received() const override { return received_; }

protected:
  void do_copy(ConstSpan owned, Span copies, int width) override {
    const MPI_Datatype type = type_of(width);
    check(PetscSFBcastBegin(forest_, type, owned.data(), copies.data(), MPI_REPLACE));
    check(PetscSFBcastEnd(forest_, type, owned.data(), copies.data(), MPI_REPLACE));
  }

private:
  MPI_Datatype type_of(int width) {
    const auto [place, is_new] = types_.try_emplace(width, MPI_DATATYPE_NULL);
    if (is_new) {
      check_mpi(MPI_Type_contiguous(width, MPI_DOUBLE, &place->second));
      check_mpi(MPI_Type_commit(&place->second));
    }
    return place->second;
  }

  PetscSF forest_ = nullptr;
  Index received_ = 0;
  std::map<int, MPI_Datatype> types_;
};

int as_count(std::size_t bytes) {
  if (bytes > INT_MAX)
    throw Error(
        fmt::format("{} bytes between ranks at once; MPI takes at most {}", bytes, INT_MAX));
  return static_cast<int>(bytes);
}

} // namespace

namespace {

/// MUMPS and BLAS would start a thread per core in every rank, and wait for each other.
void keep_libraries_to_one_thread() {
  if (std::getenv("OMP_NUM_THREADS")) return;
  using Set = void (*)(int);
  for (const char* name : {"omp_set_num_threads", "openblas_set_num_threads"})
    if (void* set = dlsym(RTLD_DEFAULT, name)) reinterpret_cast<Set>(set)(1);
}

} // namespace

Session::Session() {
  keep_libraries_to_one_thread();
  // Signals are the program's own.
  check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  check(PetscInitializeNoArguments());
}

Session::~Session() {
  PetscFinalize();
}

PetscRanks::PetscRanks() {
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
  check_mpi(MPI_Comm_size(communicator_, &count_));
  check_mpi(MPI_Comm_rank(communicator_, &rank_));
}

PetscRanks::~PetscRanks() {
  MPI_Comm_free(&communicator_);
}

void PetscRanks::abort(int code) {
  MPI_Abort(communicator_, code);
  std::abort();
}

int PetscRanks::own_cores() const {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const bool is_known = sched_getaffinity(0, sizeof mine, &mine) == 0; // not of 1024 cores and more
  MPI_Comm machine = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  int neighbours = 1;
  check_mpi(MPI_Comm_size(machine, &neighbours));
  std::vector<cpu_set_t> all(neighbours);
  check_mpi(
      MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, machine));
  check_mpi(MPI_Comm_free(&machine));
  const auto sharing = std::ranges::count_if(
      all, [&](const cpu_set_t& theirs) { return CPU_EQUAL(&mine, &theirs); });
  return is_known ? std::max(1, CPU_COUNT(&mine) / static_cast<int>(sharing)) : 1;
}

void PetscRanks::do_sum(std::span<std::int64_t> numbers) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), as_count(numbers.size()), MPI_INT64_T,
                          MPI_SUM, communicator_));
}

std::int64_t PetscRanks::do_max(std::int64_t number) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MAX, communicator_));
  return number;
}

std::int64_t PetscRanks::do_before(std::int64_t number) {
  std::int64_t before = 0;
  check_mpi(MPI_Exscan(&number, &before, 1, MPI_INT64_T, MPI_SUM, communicator_));
  return rank_ == 0 ? 0 : before;
}

std::vector<Bytes> PetscRanks::do_exchange(std::vector<Bytes> out) {
  std::vector<int> sent(count_), received(count_), from(count_), to(count_);
  std::size_t all_sent = 0, all_received = 0;
  for (int r = 0; r < count_; ++r) {
    sent[r] = as_count(out[r].size());
    from[r] = as_count(all_sent);
    all_sent += out[r].size();
  }
  check_mpi(MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, communicator_));
  for (int r = 0; r < count_; ++r) {
    to[r] = as_count(all_received);
    all_received += received[r];
  }
  Bytes packed, arrived(all_received);
  packed.reserve(all_sent);
  for (const Bytes& bytes : out) packed.insert(packed.end(), bytes.begin(), bytes.end());
  check_mpi(MPI_Alltoallv(packed.data(), sent.data(), from.data(), MPI_BYTE, arrived.data(),
                          received.data(), to.data(), MPI_BYTE, communicator_));
  for (int r = 0; r < count_; ++r)
    out[r].assign(arrived.begin() + to[r], arrived.begin() + to[r] + received[r]);
  return out;
}

std::unique_ptr<Halo> PetscRanks::do_make_halo(HaloPlan plan) {
  plan.send.resize(count_);
  std::vector<Bytes> lists(count_);
  for (int r = 0; r < count_; ++r)
    for (const Index k : plan.send[r]) append(lists[r], k);
  std::vector<std::vector<Index>> wanted;
  for (const Bytes& bytes : do_exchange(std::move(lists)))
    wanted.push_back(values_in<Index>(bytes));
  return std::make_unique<SfHalo>(plan, wanted, communicator_);
}

std::unique_ptr<BlockSystem> PetscRanks::do_make_block_system(BlockSystemPlan plan) {
  return make_petsc_system(plan, communicator_);
}

} // namespace talus::mpi
