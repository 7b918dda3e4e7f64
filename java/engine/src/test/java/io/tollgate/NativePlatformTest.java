package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativePlatformTest {
    @ParameterizedTest
    @CsvSource({
        "Linux,        amd64,   glibc, linux-x86_64/libtollgate.so",
        "Linux,        x86_64,  glibc, linux-x86_64/libtollgate.so",
        "Linux,        amd64,   musl,  linux-x86_64-musl/libtollgate.so",
        "Linux,        aarch64, glibc, linux-aarch64/libtollgate.so",
        "Linux,        aarch64, musl,  linux-aarch64-musl/libtollgate.so",
        "LINUX,        S390X,   glibc, linux-s390x/libtollgate.so",
        "Mac OS X,     x86_64,  glibc, macos-x86_64/libtollgate.dylib",
        "Mac OS X,     arm64,   musl,  macos-aarch64/libtollgate.dylib",
        "Windows 11,   amd64,   glibc, windows-x86_64/tollgate.dll",
        "Windows Server 2022, aarch64, glibc, windows-aarch64/tollgate.dll",
    })
    void resource_by_os_arch_and_libc(String os, String arch, String libc, String expected) {
        assertEquals("io/tollgate/native/" + expected, NativePlatform.resource(os, arch, libc));
    }

    @Test
    void an_unknown_system_is_told_what_to_do() {
        String message = assertThrows(TollgateNativeException.class, () -> NativePlatform.resource("Plan 9", "amd64", "glibc"))
                .getMessage();
        assertTrue(message.contains("\"Plan 9\"") && message.contains("-Dtollgate.native.path"), message);
    }

    @Test
    void the_build_packed_the_library_where_this_platform_looks() {
        assertNotNull(getClass().getResource("/" + NativePlatform.currentResource()), NativePlatform.currentResource());
    }
}
