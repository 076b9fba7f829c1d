-- The second wall, as for every table of a tenant.
ALTER TABLE memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON memory USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
