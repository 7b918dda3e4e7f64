package io.tollgate;

/**
 * The native library can't be used: no build for this platform, a file that is missing or broken, versions that don't
 * agree, or a defect inside a native call. The message is one sentence that names the file and what to do.
 *
 * <p>Unchecked, and not an {@link Error}: a host that can live without Tollgate catches it and goes on.
 */
public final class TollgateNativeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TollgateNativeException(String message) {
        super(message);
    }

    public TollgateNativeException(String message, Throwable cause) {
        super(message, cause);
    }
}
