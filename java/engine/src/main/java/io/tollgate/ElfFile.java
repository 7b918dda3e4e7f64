package io.tollgate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a shared library on Linux is whole, and for this processor. Not API.
 *
 * <p>The system's loader maps what the program headers say without a look at the file's length, so a file that was cut short (a
 * full disk, a broken download) ends the whole process with SIGBUS, where any other bad file is only an error. Of a file for
 * another processor it says that there is none. These two are checked here; all else the loader does itself.
 *
 * <p>Read of the format (64-bit): the identification with class and byte order in bytes 0 to 15; {@code e_machine} at 18; {@code
 * e_phoff} at 32, {@code e_phentsize} at 54, {@code e_phnum} at 56; {@code e_shoff} at 40, {@code e_shentsize} at 58, {@code
 * e_shnum} at 60 (linkers put the section headers last, so that any cut shows); in a program header {@code p_type} at 0 (1:
 * mapped), {@code p_offset} at 8 and {@code p_filesz} at 32.
 */
final class ElfFile {
    private static final int HEADER = 64;
    private static final int PROGRAM_HEADER = 56;
    private static final int MAPPED = 1;
    private static final int X86_64 = 62;
    private static final int AARCH64 = 183;

    private ElfFile() {
    }

    /**
     * What is wrong with the file, to be read after its name; null if it is whole, or of a kind that is not known here.
     *
     * @param arch the JVM's {@code os.arch}
     */
    static String problem(Path file, String arch) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            long size = channel.size();
            ByteBuffer header = read(channel, 0, HEADER);
            if (header == null || header.getInt(0) != 0x7f454c46) {
                return "is not a shared library";
            }
            if (header.get(4) != 2) {
                return null;
            }
            header.order(header.get(5) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            int wanted = arch.equals("amd64") ? X86_64 : arch.equals("aarch64") ? AARCH64 : 0;
            int machine = unsigned(header, 18);
            if (wanted != 0 && machine != wanted) {
                return "is for another processor (" + (machine == X86_64 ? "amd64" : machine == AARCH64 ? "aarch64"
                        : "ELF machine " + machine) + ", and this JVM runs on " + arch + ")";
            }
            long end = header.getLong(40) + (long) unsigned(header, 58) * unsigned(header, 60);
            long offset = header.getLong(32);
            for (int left = unsigned(header, 56); left > 0; left--) {
                ByteBuffer program = read(channel, offset, PROGRAM_HEADER);
                if (program == null) {
                    return "is cut short";
                }
                program.order(header.order());
                if (program.getInt(0) == MAPPED) {
                    end = Math.max(end, program.getLong(8) + program.getLong(32));
                }
                offset += unsigned(header, 54);
            }
            return end > size ? "is cut short: it has " + size + " of " + end + " bytes" : null;
        }
    }

    private static int unsigned(ByteBuffer header, int offset) {
        return Short.toUnsignedInt(header.getShort(offset));
    }

    private static ByteBuffer read(SeekableByteChannel channel, long offset, int length) throws IOException {
        if (offset < 0 || offset > channel.size() - length) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.allocate(length);
        channel.position(offset);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                return null;
            }
        }
        return buffer;
    }
}
