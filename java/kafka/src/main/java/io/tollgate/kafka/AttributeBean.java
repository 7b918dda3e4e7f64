package io.tollgate.kafka;

import java.util.Map;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;

/** An MBean of read-only attributes, each read when it is asked for. The type of each is that of its first reading. */
final class AttributeBean implements DynamicMBean {
    private final Map<String, Supplier<Object>> attributes;
    private final MBeanInfo info;

    AttributeBean(Map<String, Supplier<Object>> attributes) {
        this.attributes = attributes;
        MBeanAttributeInfo[] infos = attributes.entrySet().stream().map(entry -> new MBeanAttributeInfo(entry.getKey(),
                typeOf(entry.getValue().get()), entry.getKey(), true, false, false)).toArray(MBeanAttributeInfo[]::new);
        this.info = new MBeanInfo(AttributeBean.class.getName(), "Producer IDs, counted by Tollgate", infos, null,
                new MBeanOperationInfo[0], null);
    }

    private static String typeOf(Object value) {
        return value instanceof Long ? "long" : value instanceof Double ? "double" : String.class.getName();
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        Supplier<Object> reading = attributes.get(attribute);
        if (reading == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return reading.get();
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList list = new AttributeList();
        for (String name : names) {
            Supplier<Object> reading = attributes.get(name);
            if (reading != null) {
                list.add(new Attribute(name, reading.get()));
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
        return info;
    }
}
