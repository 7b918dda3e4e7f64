package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What the agent costs producers that the quota knows: {@code make test-cost}, which writes docs/cost.md. Three brokers run
 * side by side, a stock one, a second stock one and a guarded one, and are measured in turn, in slices of two seconds in
 * an order that changes; each slice of a broker is held against the stock one's of the same turn. What the two stock brokers
 * differ by is what this way of measuring does not see. The brokers are started anew for each round, as no two JVMs compile alike.
 *
 * <p>Not named as the tests that {@code make test} runs: it takes a quarter of an hour and wants the machine for itself.
 */
class AgentCost {
    private static final int ROUNDS = Integer.getInteger("tollgate.cost.rounds", 4);
    private static final int TURNS = Integer.getInteger("tollgate.cost.turns", 6);
    private static final Duration SLICE = Duration.ofSeconds(2);
    private static final int WARM_SLICES = 3;
    private static final int STOCK = 0;
    private static final int GUARDED = 2;
    private static final double WITHIN = 0.01;

    @Test
    void known_producers_cost_within_one_percent_and_allocate_nothing() throws Exception {
        List<CostRow> rows = CostShape.ALL.stream().map(CostRow::new).toList();
        Random random = new Random(7);
        Allocations allocations = null;
        for (int round = 1; round <= ROUNDS; round++) {
            List<CostSide> sides = new ArrayList<>();
            try {
                sides.add(CostSide.start(BrokerProcess.builder("cost-stock")));
                sides.add(CostSide.start(BrokerProcess.builder("cost-stock-again")));
                sides.add(CostSide.start(Guarded.broker("cost-guarded").property(Guarded.RATE, "1000")));
                for (int i = 0; i < WARM_SLICES; i++) {
                    turn(sides, random, null);
                }
                for (int turn = 0; turn < TURNS; turn++) {
                    turn(sides, random, rows);
                }
                if (round == ROUNDS) {
                    CostSide guarded = sides.get(GUARDED);
                    allocations = Allocations.during(guarded, () -> guarded.run(CostShape.SMALL, SLICE.multipliedBy(2)));
                }
                BrokerProcess guarded = sides.get(GUARDED).broker();
                assertEquals(CostShape.ALL.size(), Guarded.total(guarded, "Admitted"));
                assertEquals(0, Guarded.total(guarded, "Throttled"));
                assertEquals(0, Guarded.total(guarded, "Faults"));
            } finally {
                sides.forEach(CostSide::close);
            }
            ClientRun.tell("  round %d of %d", round, ROUNDS);
            rows.forEach(row -> ClientRun.tell("    %s", row.line()));
        }
        CostPage.write(rows, allocations);
        assertTrue(allocations.samples() > 100, "too few samples: " + allocations);
        // Compiled code allocates nothing, which KnownRequestIT counts exactly; code that is compiled anew may for a moment.
        assertTrue(1_000 * allocations.ofOurs() <= allocations.samples(), "allocated on the way of a known producer: " + allocations);
        for (CostRow row : rows) {
            assertTrue(!row.isWorseThan(WITHIN), String.format(Locale.ROOT, "more than %.0f %%: %s", 100 * WITHIN, row.line()));
        }
    }

    /** @param rows where to put what was measured; null: it was to warm up */
    private static void turn(List<CostSide> sides, Random random, List<CostRow> rows) throws Exception {
        for (CostShape shape : CostShape.ALL) {
            List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
            Collections.shuffle(order, random);
            CostSide.Slice[] slices = new CostSide.Slice[sides.size()];
            for (int side : order) {
                slices[side] = sides.get(side).run(shape, SLICE);
            }
            if (rows != null) {
                rows.get(CostShape.ALL.indexOf(shape)).add(slices[STOCK], slices[1], slices[GUARDED]);
            }
        }
    }
}
