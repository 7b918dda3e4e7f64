package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** On lines that the tool of 3.9.1 or of 4.4.0 wrote. */
class KafkaDumpTest {
    private static final String DATA = "baseOffset: 5 lastOffset: 9 count: 4 baseSequence: 55 lastSequence: 59 producerId: 17 "
            + "producerEpoch: 1 partitionLeaderEpoch: 0 isTransactional: true isControl: false deleteHorizonMs: OptionalLong.empty "
            + "position: 616 CreateTime: 1796002272372 size: 88 magic: 2 compresscodec: zstd crc: 1282620651 isvalid: true";
    private static final String MARKER = "baseOffset: 10 lastOffset: 10 count: 1 baseSequence: -1 lastSequence: -1 producerId: 17 "
            + "producerEpoch: 1 partitionLeaderEpoch: 0 isTransactional: true isControl: true deleteHorizonMs: OptionalLong[1796088672372] "
            + "position: 704 LogAppendTime: 1796002272999 size: 78 magic: 2 compresscodec: none crc: 3341 isvalid: true ";

    @Test
    void batchesBelongToTheFileThatWasNamedBeforeThem() {
        KafkaDump dump = KafkaDump.parse(List.of("Dumping a-0/00000000000000000005.log", "Log starting offset: 5", DATA,
                "Dumping b-1/00000000000000000010.log", "Log starting offset: 10", MARKER).stream());
        assertEquals(List.of(
                new KafkaDump.Batch(Path.of("a-0/00000000000000000005.log"), 616, 88, 5, 9, 4, 55, 17, true, false, 1_796_002_272_372L),
                new KafkaDump.Batch(Path.of("b-1/00000000000000000010.log"), 704, 78, 10, 10, 1, -1, 17, true, true, 1_796_002_272_999L)),
                dump.batches());
        assertTrue(dump.entries().isEmpty());
    }

    @Test
    void anEntryIsReadWithAndWithoutBatchesAndInATransaction() {
        KafkaDump dump = KafkaDump.parse(List.of("Dumping a-0/00000000000000000062.snapshot",
                "producerId: 17 producerEpoch: 0 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong.empty lastTimestamp: "
                + "1796002272372 firstSequence: 55 lastSequence: 55 lastOffset: 61 offsetDelta: 0 timestamp: 1796002272372",
                "producerId: 4 producerEpoch: 9 coordinatorEpoch: 0 currentTxnFirstOffset: OptionalLong.empty "
                + "lastTimestamp: 1796074960000 ",
                "producerId: 5 producerEpoch: 9 coordinatorEpoch: 0 currentTxnFirstOffset: OptionalLong[31] "
                + "lastTimestamp: 1796074960001 firstSequence: 0 lastSequence: 0 lastOffset: 31 offsetDelta: 0 timestamp: 1796074960001").stream());
        Path file = Path.of("a-0/00000000000000000062.snapshot");
        assertEquals(List.of(new KafkaDump.Entry(file, 17, 1_796_002_272_372L), new KafkaDump.Entry(file, 4, 1_796_074_960_000L),
                new KafkaDump.Entry(file, 5, 1_796_074_960_001L)), dump.entries());
    }

    @Test
    void whatIsNotKnownIsAnError() {
        for (String line : List.of("Found 12 invalid bytes at the end of a.log", DATA.replace("isvalid: true", "isvalid: false"),
                DATA.replace("magic: 2", "magic: 1"), DATA.replace("size: 88", "bytes: 88"), DATA.replace("size:", "size"))) {
            assertThrows(IllegalArgumentException.class, () -> KafkaDump.parse(List.of("Dumping a.log", line).stream()), line);
        }
    }
}
