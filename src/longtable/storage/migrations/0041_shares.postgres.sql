-- The second wall, as for every table of a tenant.
ALTER TABLE shares ENABLE ROW LEVEL SECURITY;
ALTER TABLE shares FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON shares USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
