package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** All that a directory holds: what a program that only reads leaves as it is. */
final class FileStates {
    /** @param hash of the content, empty for a directory */
    record State(long size, FileTime modified, String hash) {}

    private FileStates() {}

    /** By path, relative to the directory; its own is the empty one. */
    static Map<Path, State> of(Path directory) throws IOException {
        Map<Path, State> states = new TreeMap<>();
        for (Path path : list(directory)) {
            boolean isFile = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
            states.put(directory.relativize(path), new State(isFile ? Files.size(path) : 0, Files.getLastModifiedTime(path),
                    isFile ? hash(path) : ""));
        }
        return states;
    }

    /** What is there only once, or not the same: a line for each. */
    static List<String> differences(Map<Path, State> before, Map<Path, State> after) {
        Set<Path> paths = new TreeSet<>(before.keySet());
        paths.addAll(after.keySet());
        return paths.stream().filter(path -> !Objects.equals(before.get(path), after.get(path)))
                .map(path -> "'" + path + "': " + before.get(path) + ", then " + after.get(path)).toList();
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.toList();
        }
    }

    private static String hash(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
