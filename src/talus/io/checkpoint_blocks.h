#pragma once
// A checkpoint that several processes write and read, each of them a block of the bodies and of the
// impulses. They write in turn, so that none needs room for all of it. What describes the world is
// its scene file. Other programs read it as any checkpoint.

#include "talus/core/files/atomic_file.h"
#include "talus/io/checkpoint.h"

namespace talus {

/// The first process makes the file, with its block, and commits it when the last one has added
/// its own.
void begin_checkpoint_of_blocks(const AtomicFile& target, const SceneSource& source,
                                const SimulationState& first);
/// The others follow, in the order of their blocks; one at a time.
void append_checkpoint_block(const std::string& temporary_path, const SimulationState& block);

/// The block of one of several processes: of N bodies and n processes those from rank ⌈N/n⌉ on, and
/// as many of the impulses and bonds. Of any checkpoint. Throws FileError.
Checkpoint read_checkpoint_block(const std::string& path, int rank, int ranks);

} // namespace talus
