CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA public;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN email AS citext CHECK (VALUE ~* '^[^@]+@[^@]+$');
CREATE TABLE IF NOT EXISTS app.orders (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid         uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    customer_id integer REFERENCES customers (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    total       numeric(12, 2) NOT NULL CHECK (total >= 0)
    tax         numeric GENERATED ALWAYS AS (total * 0.19) STORED,
    tags        text[] NOT NULL DEFAULT '{}',
    meta        jsonb DEFAULT '{}'::jsonb,
    period      tstzrange,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT no_overlap EXCLUDE USING gist (customer_id WITH =, period WITH &&),
    UNIQUE NULLS NOT DISTINCT (customer_id, uid),
    FOREIGN KEY (customer_id, uid) REFERENCES other (a, b) MATCH FULL
) PARTITION BY RANGE (created_at);
CREATE TABLE orders_2024 PARTITION OF app.orders FOR VALUES FROM ('2024-01-01') TO ('2025-01-01') PARTITION BY HASH (id);
CREATE TABLE o_def PARTITION OF app.orders DEFAULT;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS ix ON app.orders USING btree (lower(name) COLLATE "C" DESC NULLS LAST) INCLUDE (total) WHERE deleted_at IS NULL;
CREATE INDEX ON app.orders USING gin (meta jsonb_path_ops);
ALTER TABLE app.orders ADD COLUMN IF NOT EXISTS note text, ALTER COLUMN total TYPE numeric USING total::numeric, DROP CONSTRAINT IF EXISTS x CASCADE, ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON app.orders FOR SELECT TO app_user USING (customer_id = current_setting('app.id')::int) WITH CHECK (true);
CREATE MATERIALIZED VIEW mv AS SELECT 1 WITH NO DATA;
COMMENT ON COLUMN app.orders.total IS 'It''s the total';
GRANT SELECT, INSERT (id, total) ON ALL TABLES IN SCHEMA app TO PUBLIC;
CREATE SEQUENCE s START WITH 100 INCREMENT BY 5 NO CYCLE OWNED BY NONE;
CREATE STATISTICS st (dependencies) ON a, b FROM t;
REINDEX TABLE CONCURRENTLY app.orders;
VACUUM (ANALYZE, VERBOSE) app.orders;
