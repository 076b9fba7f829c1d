CREATE TABLE IF NOT EXISTS orders (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
    total NUMERIC(10, 2) DEFAULT 0.00 CHECK (total >= 0),
    status TEXT NOT NULL DEFAULT 'new',
    created_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT status_known CHECK (status IN ('new', 'paid', 'sent')),
    UNIQUE (customer_id, created_at)
);
CREATE INDEX orders_by_status ON orders (status) WHERE status <> 'sent';
