package io.tollgate.kafka;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;

/**
 * An MBean of read-only attributes, read when they are asked for; what is asked for in one call is of one moment. There may be
 * one for each user, so all that beans of a kind have in common is held once.
 *
 * @param <T> a reading
 */
final class AttributeBean<T> implements DynamicMBean {
    /** The attributes of a kind of beans, each with what it is of a reading. */
    static final class Kind<T> {
        private final Map<String, Function<T, Object>> attributes;
        private final MBeanInfo info;

        /** @param example a reading, whose values have the types of all */
        Kind(Map<String, Function<T, Object>> attributes, T example) {
            this.attributes = attributes;
            MBeanAttributeInfo[] infos = attributes.entrySet().stream().map(entry -> new MBeanAttributeInfo(entry.getKey(),
                    typeOf(entry.getValue().apply(example)), entry.getKey(), true, false, false)).toArray(MBeanAttributeInfo[]::new);
            this.info = new MBeanInfo(AttributeBean.class.getName(), "Producer IDs, counted by Tollgate", infos, null,
                    new MBeanOperationInfo[0], null);
        }

        private static String typeOf(Object value) {
            return value instanceof Long ? "long" : value instanceof Double ? "double" : String.class.getName();
        }
    }

    private final Kind<T> kind;
    private final Supplier<T> reading;

    AttributeBean(Kind<T> kind, Supplier<T> reading) {
        this.kind = kind;
        this.reading = reading;
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        Function<T, Object> of = kind.attributes.get(attribute);
        if (of == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return of.apply(reading.get());
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList list = new AttributeList();
        T now = reading.get();
        for (String name : names) {
            Function<T, Object> of = kind.attributes.get(name);
            if (of != null) {
                list.add(new Attribute(name, of.apply(now)));
            }
        }
        return list;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + " can't be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList list) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String action, Object[] parameters, String[] signature) {
        throw new UnsupportedOperationException(action);
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return kind.info;
    }
}
