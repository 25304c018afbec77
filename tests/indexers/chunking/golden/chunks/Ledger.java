package com.example.bank;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Every movement of money, never changed once written. */
public final class Ledger {
    public static final BigDecimal LIMIT = new BigDecimal("10000");

    private final List<Entry> entries = new ArrayList<>();
    private final Clock clock;

    public Ledger(Clock clock) {
        this.clock = clock;
    }

    /**
     * Moves money between two accounts.
     *
     * @throws IllegalArgumentException where the amount is not positive or above the limit
     */
    public Entry transfer(String from, String to, BigDecimal amount) {
        if (amount.signum() <= 0) {
            throw new IllegalArgumentException("the amount must be positive");
        }
        if (amount.compareTo(LIMIT) > 0) {
            throw new IllegalArgumentException("above the limit of " + LIMIT);
        }
        if (balance(from).compareTo(amount) < 0) {
            throw new InsufficientFunds(from, amount);
        }
        Entry entry = new Entry(from, to, amount, clock.now());
        entries.add(entry);
        return entry;
    }

    public BigDecimal balance(String account) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Entry entry : entries) {
            if (entry.to().equals(account)) {
                sum = sum.add(entry.amount());
            }
            if (entry.from().equals(account)) {
                sum = sum.subtract(entry.amount());
            }
        }
        return sum;
    }

    public record Entry(String from, String to, BigDecimal amount, long at) {}

    public interface Clock {
        long now();
    }

    public static class InsufficientFunds extends RuntimeException {
        public InsufficientFunds(String account, BigDecimal amount) {
            super(account + " does not have " + amount);
        }
    }
}
