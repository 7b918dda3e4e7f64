package io.tollgate.it.demo;

import io.tollgate.it.BrokerBuilder;
import io.tollgate.it.BrokerProcess;
import io.tollgate.it.BuildTree;
import java.io.IOException;
import java.nio.file.Path;
import javax.management.JMException;

/**
 * One half of the demo, in a JVM of its own, started by {@link DemoMain}: {@code BROKER KAFKA full|quick RAW_SECONDS
 * RESULT [live]}. The broker's data stay beside RESULT, in {@code BROKER-data}.
 */
final class RunMain {
    static final String STOCK = "stock";
    static final String GUARDED = "guarded";

    private RunMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        String which = arguments[0];
        Scenario scenario = (arguments[2].equals("quick") ? Scenario.inShort() : Scenario.inFull())
                .withRawS(Integer.parseInt(arguments[3]));
        Progress progress = new Progress(System.out, arguments.length > 5);
        Watch.endWithParent();
        Watch.sayWhenInterrupted("demo: interrupted; ending the broker");
        int code = 0;
        try {
            Path resultFile = Path.of(arguments[4]);
            BrokerBuilder builder = broker(which, arguments[1], scenario).keptData(resultFile.resolveSibling(which + "-data"));
            String title = which.equals(STOCK) ? "1 of 2, stock broker" : "2 of 2, with Tollgate";
            RunResult result = BrokerRun.run(title, scenario, builder, progress);
            progress.say("  " + title + ": " + result.outcome());
            Report.writeRun(resultFile, result);
        } catch (IOException | JMException | IllegalStateException e) {
            System.err.println("demo: " + e.getMessage());
            code = 1;
        }
        Watch.finished();
        System.exit(code);
    }

    private static BrokerBuilder broker(String which, String kafka, Scenario scenario) {
        BrokerBuilder builder = BrokerProcess.builder("demo-" + which).kafka(kafka);
        return which.equals(STOCK) ? builder : builder.agent(BuildTree.agentJar())
                .property("producer.id.quota.default.rate", Double.toString(scenario.quotaPerHour()))
                .property("producer.id.quota.window.size.seconds", "3600");
    }
}
